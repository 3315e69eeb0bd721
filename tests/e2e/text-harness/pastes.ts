/** Clipboard HTML of several word processors, the text that pasting must produce, and the losses that pasting must report. */
export const pastes = {
  word: {
    html: `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=ProgId content=Word.Document>
<link rel=File-List href="file:///C:/Users/owner/AppData/Local/Temp/msohtmlclip1/01/clip_filelist.xml">
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]-->
<style><!-- @font-face {font-family:"游明朝"; src:url("https://evil.example/font.woff2")} p.MsoNormal {margin:0mm; mso-style-unhide:no} --></style>
</head>
<body lang=JA style='tab-interval:42.0pt;word-wrap:break-word'><!--StartFragment-->
<h1><span lang=EN-US>2026</span>年の<b>ご案内</b><span lang=EN-US><o:p></o:p></span></h1>
<p class=MsoNormal style='mso-margin-top-alt:auto;line-height:150%'><span style='font-family:"游明朝",serif;mso-ascii-font-family:"Times New Roman"'>当店は京都の
小さな食堂です。<b><span style='color:red'>冬のお献立</span></b>は<span lang=EN-US><a href="https://example.jp/winter"><span lang=EN-US><span
lang=EN-US>こちら</span></span></a></span>です。<span lang=EN-US>Open from
11:00.</span><span lang=EN-US><o:p></o:p></span></span></p>
<p class=MsoNormal><span lang=EN-US><o:p>&nbsp;</o:p></span></p>
<h2>お席のこと<span lang=EN-US><o:p></o:p></span></h2>
<p class=MsoListParagraph style='margin-left:22.0pt;mso-para-margin-left:0gd;text-indent:-22.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span lang=EN-US style='font-family:Wingdings;mso-fareast-font-family:Wingdings'><span style='mso-list:Ignore'>l<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>カウンター<span lang=EN-US><o:p></o:p></span></p>
<p class=MsoListParagraph style='margin-left:22.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>l<span>&nbsp;&nbsp; </span></span><![endif]>座敷（<b>要予約</b>）</p>
<p class=MsoListParagraph style='margin-left:22.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>1.<span>&nbsp;&nbsp; </span></span><![endif]>電話をする</p>
<p class=MsoListParagraph style='margin-left:22.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span style='mso-list:Ignore'>2.<span>&nbsp;&nbsp; </span></span><![endif]>来る</p>
<p class=MsoNormal><span style='display:none;mso-hide:all'>見えない文字</span><!--[if gte vml 1]><v:shape id="_x0000_i1025" style='width:200pt'><v:imagedata src="file:///C:/Users/owner/clip_image001.png"/></v:shape><![endif]--><![if !vml]><img width=266 height=177 src="file:///C:/Users/owner/AppData/Local/Temp/msohtmlclip1/01/clip_image002.jpg" v:shapes="_x0000_i1025"><![endif]></p>
<table class=MsoTableGrid border=1 cellspacing=0 style='border-collapse:collapse;mso-border-alt:solid windowtext .5pt'>
 <tr style='mso-yfti-irow:0'><td width=200 style='border:solid windowtext 1.0pt'><p class=MsoNormal>昼<span lang=EN-US><o:p></o:p></span></p></td><td><p class=MsoNormal><span lang=EN-US>11:00</span></p></td></tr>
 <tr style='mso-yfti-irow:1'><td><p class=MsoNormal>夜</p></td><td><p class=MsoNormal><span lang=EN-US>17:00</span></p></td></tr>
</table>
<!--EndFragment--></body></html>`,
    text: [
      { kind: 'heading', runs: [{ text: '2026年のご案内' }] },
      {
        kind: 'paragraph',
        runs: [
          { text: '当店は京都の小さな食堂です。' },
          { text: '冬のお献立', bold: true },
          { text: 'は' },
          { text: 'こちら', href: 'https://example.jp/winter' },
          { text: 'です。Open from 11:00.' },
        ],
      },
      { kind: 'subheading', runs: [{ text: 'お席のこと' }] },
      {
        kind: 'list',
        items: [[{ text: 'カウンター' }], [{ text: '座敷（' }, { text: '要予約', bold: true }, { text: '）' }]],
      },
      { kind: 'numbered list', items: [[{ text: '電話をする' }], [{ text: '来る' }]] },
      { kind: 'paragraph', runs: [{ text: '昼　11:00' }] },
      { kind: 'paragraph', runs: [{ text: '夜　17:00' }] },
    ],
    losses: ['picture', 'table'],
  },
  writer: {
    html: `<!DOCTYPE html>
<html>
<head>
	<meta http-equiv="content-type" content="text/html; charset=utf-8"/>
	<title></title>
	<meta name="generator" content="LibreOffice 25.2.1 (Linux)"/>
	<style type="text/css">
		@page { size: 21cm 29.7cm; margin: 2cm }
		p { line-height: 115%; margin-bottom: 0.25cm; background: url(https://evil.example/paper.png) }
	</style>
</head>
<body lang="ja-JP" link="#000080" vlink="#800000" dir="ltr"><p class="title" align="center"><font face="Noto Sans CJK JP"><font size="6">テニスサークル</font></font></p>
<h2 class="western">集まる日</h2>
<p align="justify" style="line-height: 100%; margin-bottom: 0cm">
<font color="#000000"><font face="Noto Serif CJK JP"><font size="3" style="font-size: 12pt">毎週<b>土曜日</b>です。<br/>
雨の日は<span style="font-weight: bold">中止</span>です。</font></font></font></p>
<ol>
	<li><p style="margin-bottom: 0cm">申し込む</p></li>
	<li><p style="margin-bottom: 0cm">ラケットを持つ</p>
	<ul>
		<li><p style="margin-bottom: 0cm">貸し出しもあります</p></li>
	</ul>
	</li>
</ol>
<p><a href="mailto:circle@example.jp">お問い合わせ</a></p>
<p><img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" name="画像1" align="left" width="100"/></p>
</body>
</html>`,
    text: [
      { kind: 'heading', runs: [{ text: 'テニスサークル' }] },
      { kind: 'heading', runs: [{ text: '集まる日' }] },
      {
        kind: 'paragraph',
        runs: [
          { text: '毎週' },
          { text: '土曜日', bold: true },
          { text: 'です。\n雨の日は' },
          { text: '中止', bold: true },
          { text: 'です。' },
        ],
      },
      {
        kind: 'numbered list',
        items: [[{ text: '申し込む' }], [{ text: 'ラケットを持つ\n・貸し出しもあります' }]],
      },
      { kind: 'paragraph', runs: [{ text: 'お問い合わせ', href: 'mailto:circle@example.jp' }] },
    ],
    losses: ['picture'],
  },
  docs: {
    html: `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-5f0e8b1c-7fff-1234-abcd-000000000000"><h3 dir="ltr" style="line-height:1.38;margin-top:16pt;margin-bottom:4pt;"><span style="font-size:14pt;font-family:Arial,sans-serif;color:#434343;background-color:transparent;font-weight:400;font-style:normal;white-space:pre-wrap;">出張料理</span></h3><p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;"><span style="font-size:11pt;font-weight:400;white-space:pre-wrap;">二名様から</span><span style="font-size:11pt;font-weight:700;white-space:pre-wrap;">伺います</span><span style="font-size:11pt;font-weight:400;white-space:pre-wrap;">。</span><a href="tel:075-000-0000" style="text-decoration:none;"><span style="color:#1155cc;font-weight:400;text-decoration:underline;">075-000-0000</span></a></p><br /><ul style="margin-top:0;margin-bottom:0;padding-inline-start:48px;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" style="margin-top:0pt;" role="presentation"><span style="font-weight:400;">京都市内</span></p></li><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400;">宇治</span></p></li></ul><p><span><span style="border:none;display:inline-block;overflow:hidden;width:120px;height:80px;"><img src="https://lh7-rt.googleusercontent.example/docsz/picture" width="120" height="80" style="margin-left:0px;" /></span></span></p></b><br class="Apple-interchange-newline">`,
    text: [
      { kind: 'subheading', runs: [{ text: '出張料理' }] },
      {
        kind: 'paragraph',
        runs: [
          { text: '二名様から' },
          { text: '伺います', bold: true },
          { text: '。' },
          { text: '075-000-0000', href: 'tel:075-000-0000' },
        ],
      },
      { kind: 'list', items: [[{ text: '京都市内' }], [{ text: '宇治' }]] },
    ],
    losses: ['picture'],
  },
  pages: {
    html: `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta http-equiv="Content-Style-Type" content="text/css"><title></title><meta name="Generator" content="Cocoa HTML Writer">
<style type="text/css">
p.p1 {margin: 0.0px 0.0px 12.0px 0.0px; font: 22.0px 'Hiragino Mincho ProN'}
span.s1 {font: 11.0px 'Helvetica Neue'}
</style></head>
<body>
<p class="p1">　朝のお茶<span class="Apple-converted-space">&nbsp;</span></p>
<p class="p2"><span class="s1"><b>抹茶</b></span>と<b>ほうじ茶</b>があります。</p>
<p class="p3"><br></p>
<ul class="ul1">
<li class="li2"><span class="s2"></span>抹茶</li>
<li class="li2"><span class="s2"></span>ほうじ茶<br>
（温・冷）</li>
</ul>
</body></html>`,
    text: [
      { kind: 'paragraph', runs: [{ text: '　朝のお茶' }] },
      {
        kind: 'paragraph',
        runs: [
          { text: '抹茶', bold: true },
          { text: 'と' },
          { text: 'ほうじ茶', bold: true },
          { text: 'があります。' },
        ],
      },
      { kind: 'list', items: [[{ text: '抹茶' }], [{ text: 'ほうじ茶\n（温・冷）' }]] },
    ],
    losses: [],
  },
  web: {
    html: `<html><body><!--StartFragment--><base href="https://evil.example/"><link rel="stylesheet" href="https://evil.example/a.css"><link rel="preload" as="image" href="https://evil.example/pre.png"><meta http-equiv="refresh" content="0;url=https://evil.example/"><script>window.ran = 1</script><script src="https://evil.example/a.js"></script>
<article onclick="window.ran = 1"><h1 class="post-title">ブログの題</h1>
<div>はじめの段落<br><br>次の<strong onmouseover="window.ran = 1">段落</strong>
<img src="x" onerror="window.ran = 1"><img src="https://evil.example/pixel.gif" width="1" height="1"><img srcset="https://evil.example/2x.png 2x"><picture><source srcset="https://evil.example/a.avif"><img src="https://evil.example/a.jpg"></picture></div>
<iframe src="https://evil.example/"></iframe><iframe srcdoc="<script>parent.ran = 1</script>"></iframe><svg onload="window.ran = 1"><a href="javascript:window.ran=1"><text>絵の中</text></a><image href="https://evil.example/i.png"/></svg><math><mi>x</mi></math>
<video src="https://evil.example/v.mp4" poster="https://evil.example/p.png" autoplay onloadstart="window.ran = 1">動画</video><audio src="https://evil.example/a.mp3" autoplay></audio><object data="https://evil.example/o"></object><embed src="https://evil.example/e">
<form action="https://evil.example/"><input name="body" value="x" autofocus onfocus="window.ran = 1"><button formaction="javascript:window.ran=1">押す</button><select><option>選ぶ</option></select><textarea>欄</textarea></form>
<p><a href="javascript:window.ran=1">悪い</a>と<a href=" java&#10;script:window.ran=1">もっと悪い</a>と<a href="//evil.example/">よその</a>と<a href="file:///C:/a.doc">手元の</a>と<a href="#top">上の</a>と<a href="/dining" target="_top" ping="https://evil.example/ping">お料理</a></p>
<blockquote style="background:url(https://evil.example/b.png)"><p>引用です</p></blockquote><template><p>雛形</p></template><noscript><img src="https://evil.example/n.gif"></noscript>
<img src="/pictures/abc-800.jpg" alt="店の写真" style="width:9000px"><p hidden>隠れた</p><details open ontoggle="window.ran = 1"><summary>開く</summary>中身</details></article><!--EndFragment--></body></html>`,
    text: [
      { kind: 'heading', runs: [{ text: 'ブログの題' }] },
      { kind: 'paragraph', runs: [{ text: 'はじめの段落' }] },
      { kind: 'paragraph', runs: [{ text: '次の' }, { text: '段落', bold: true }] },
      { kind: 'paragraph', runs: [{ text: '押す欄' }] },
      {
        kind: 'paragraph',
        runs: [{ text: '悪いともっと悪いとよそのと手元のと上のと' }, { text: 'お料理', href: '/dining' }],
      },
      { kind: 'paragraph', runs: [{ text: '引用です' }] },
      { kind: 'picture', url: '/pictures/abc-800.jpg', alt: '店の写真' },
      { kind: 'paragraph', runs: [{ text: '開く' }] },
      { kind: 'paragraph', runs: [{ text: '中身' }] },
    ],
    losses: ['picture', 'figure'],
  },
}
