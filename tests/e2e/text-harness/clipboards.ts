export type Clipboard = {
  html: string
  /** The resulting plain text, by paragraph. */
  paragraphs: string[]
  notices?: string[]
}

const table = '表は、1行ずつの文章として貼り付けました。'
const footnote = '脚注は、本文と同じ文章として貼り付けました。'
const figure = '図や数式、動画は貼り付けられません。'
const deletion = '取り消し線の付いた文字は貼り付けていません。'
const comment = 'コメントは貼り付けていません。'
const picture = '写真は貼り付けられません。「写真」のボタンから追加してください。'

const office = (body: string) =>
  `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns:m="http://schemas.microsoft.com/office/2004/12/omml" xmlns="http://www.w3.org/TR/REC-html40">\r\n<head><meta name=ProgId content=Word.Document><!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]--><style><!-- p.MsoNormal {margin:0mm;} --></style></head>\r\n<body lang=JA style='tab-interval:42.0pt'>${body}</body></html>`

/** Returns a paragraph with a number that Word has written into the text. */
const numbered = (level: number, mark: string, words: string, list = 'l0') =>
  `<p class=MsoListParagraph style='margin-left:22.0pt;text-indent:-22.0pt;mso-list:${list} level${level} lfo1'><![if !supportLists]><span lang=EN-US><span style='mso-list:Ignore'>${mark}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${words}<span lang=EN-US><o:p></o:p></span></p>\r\n`

const wordOnline = (tag: string, level: number, start: number, words: string) =>
  `<div class="ListContainerWrapper SCXW1 BCX8"><${tag} class="ListStyle1 SCXW1" role="list"${tag === 'ol' ? ` start="${start}"` : ''}><li data-leveltext="%${level}." data-font="" data-listid="3" aria-setsize="-1" data-aria-posinset="${start}" data-aria-level="${level}" role="listitem" class="OutlineElement Ltr SCXW1"><p class="Paragraph SCXW1" style="white-space: pre-wrap;"><span data-contrast="auto" lang="JA-JP" class="TextRun SCXW1"><span class="NormalTextRun SCXW1">${words}</span></span><span class="EOP SCXW1">&nbsp;</span></p></li></${tag}></div>`

/** Clipboard HTML of several programs, and the text that pasting must produce. */
export const clipboards: Record<string, Clipboard> = {
  'an inline content control of Word': {
    html: office(
      '<!--StartFragment--><p class=MsoNormal><w:Sdt DocPart="9F" ID="100001">京都の店のご案内</w:Sdt>です。</p><!--EndFragment-->',
    ),
    paragraphs: ['京都の店のご案内です。'],
  },
  'a Word document whose paragraphs are content controls': {
    html: office(
      `<w:Sdt SdtDocPart="t" DocPartType="Cover Pages" ID="7"><w:sdtPr></w:sdtPr><p class=MsoNormal>拝啓 秋冷の候<span lang=EN-US><o:p></o:p></span></p><w:Sdt ShowingPlcHdr="t" Text="t" ID="8"><p class=MsoNormal>ますますご清栄のこととお慶び申し上げます。</p></w:Sdt></w:Sdt>${numbered(1, '·', '日時 11月20日')}<w:Sdt DropDown="t" ID="9"><w:ListItem ListValue="A" DataValue="A"></w:ListItem><p class=MsoNormal>敬具</p></w:Sdt>`,
    ),
    paragraphs: ['拝啓 秋冷の候', 'ますますご清栄のこととお慶び申し上げます。', '・日時 11月20日', '敬具'],
  },
  'smart tags and unknown elements of Word': {
    html: office(
      '<p class=MsoNormal><st1:City w:st="on"><st1:place w:st="on">京都市</st1:place></st1:City>の<custom-mark>店</custom-mark>、<v:textbox>文字の枠</v:textbox>と<foo:bar>知らない<baz>要素</baz></foo:bar>。<o:p>注</o:p></p>',
    ),
    paragraphs: ['京都市の店、文字の枠と知らない要素。注'],
  },
  'nested numbered lists of Word': {
    html: office(
      numbered(1, '1.', 'お申し込み') +
        numbered(2, '(1)', '電話') +
        numbered(2, '(2)', 'メール') +
        numbered(3, '①', '件名') +
        numbered(1, '2.', 'ご来店'),
    ),
    paragraphs: ['1. お申し込み\n(1) 電話\n(2) メール\n　① 件名\n2. ご来店'],
  },
  'a numbered list of Word that continues after a paragraph': {
    html: office(
      `${numbered(1, '1.', '予約する')}<p class=MsoNormal>（前日まで）</p>${numbered(1, '2.', '来店する')}${numbered(1, '1.', '別の表', 'l1')}`,
    ),
    paragraphs: ['1. 予約する', '（前日まで）', '2. 来店する', '1. 別の表'],
  },
  'a list of Word with articles and letters as numbers': {
    html: office(
      numbered(1, '第1条', '目的') +
        numbered(1, '第2条', '会員') +
        numbered(2, '一、', '正会員') +
        numbered(1, 'ア．', '補足') +
        numbered(1, '甲', '当店') +
        numbered(1, 'l', '箇条') +
        `<h1 style='mso-list:l3 level1 lfo3'><![if !supportLists]><span style='mso-list:Ignore'>3.1<span>&nbsp;</span></span><![endif]>附則</h1>`,
    ),
    paragraphs: ['第1条 目的', '第2条 会員', '一、正会員', 'ア．補足', '甲 当店', '・箇条', '■3.1 附則'],
  },
  'footnotes and comments of Word': {
    html: office(
      `<!--StartFragment--><p class=MsoNormal>創業は明治<a style='mso-footnote-id:ftn1' href="#_ftn1" name="_ftnref1" title=""><span class=MsoFootnoteReference><span lang=EN-US><span style='mso-special-character:footnote'><![if !supportFootnotes]><span class=MsoFootnoteReference>[1]</span><![endif]></span></span></span></a>です<span class=MsoCommentReference><span lang=EN-US><![if !supportAnnotations]><a class=msocomanchor id="_anchor_1" href="#_msocom_1" name="_msoanchor_1">[店1]</a><![endif]><span style='mso-special-character:comment'>&nbsp;</span></span></span>。</p><!--EndFragment--><div style='mso-element:footnote-list'><![if !supportFootnotes]><br clear=all><hr align=left size=1 width="33%"><![endif]><div style='mso-element:footnote' id=ftn1><p class=MsoFootnoteText><a style='mso-footnote-id:ftn1' href="#_ftnref1" name="_ftn1" title=""><span class=MsoFootnoteReference>[1]</span></a> 三十年と聞いています。</p></div></div><div style='mso-element:comment-list'><![if !supportAnnotations]><hr class=msocomoff align=left size=1 width="33%"><![endif]><div style='mso-element:comment'><div id="_com_1" class=msocomtxt language=JavaScript><p class=MsoCommentText>要確認</p></div></div></div>`,
    ),
    paragraphs: ['創業は明治[1]です。', '[1] 三十年と聞いています。'],
    notices: [footnote, comment],
  },
  'tracked changes, furigana and an equation of Word': {
    html: office(
      `<p class=MsoNormal>営業は<del cite="mailto:%E5%BA%97" datetime="2026-11-01T10:00"><span lang=EN-US>17:00</span></del><ins cite="mailto:%E5%BA%97" datetime="2026-11-01T10:00"><span lang=EN-US>18:00</span></ins>から。<ruby><rb>暖簾</rb><rp>(</rp><rt>のれん</rt><rp>)</rp></ruby>が目印。<!--[if gte msEquation 12]><m:oMath><m:r>x</m:r></m:oMath><![endif]--><![if !msEquation]><img width=9 height=9 src="file:///C:/clip_image001.png"><![endif]></p>`,
    ),
    paragraphs: ['営業は18:00から。暖簾（のれん）が目印。'],
    notices: [deletion, picture],
  },
  'lists of Word for the web': {
    html:
      wordOnline('ol', 1, 1, '席に着く') +
      wordOnline('ol', 2, 1, '上着を預ける') +
      wordOnline('ol', 2, 2, 'お茶を飲む') +
      wordOnline('ol', 1, 2, '注文する') +
      wordOnline('ul', 1, 1, '定食') +
      wordOnline('ul', 2, 1, '魚'),
    paragraphs: ['1. 席に着く\n(1) 上着を預ける\n(2) お茶を飲む\n2. 注文する', '・定食\n・魚'],
  },
  'nested numbered lists of Google Docs': {
    html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><ol style="margin-top:0;margin-bottom:0;"><li dir="ltr" style="list-style-type:decimal;" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400;">入会</span></p></li><ol style="margin-top:0;"><li dir="ltr" style="list-style-type:lower-alpha;" aria-level="2"><p dir="ltr" role="presentation"><span>申込書</span></p></li><li dir="ltr" style="list-style-type:lower-alpha;" aria-level="2"><p dir="ltr" role="presentation"><span>会費</span></p></li></ol><li dir="ltr" style="list-style-type:decimal;" aria-level="1"><p dir="ltr" role="presentation"><span>退会</span></p></li></ol><br><div dir="ltr" align="left"><table style="border:none;"><colgroup><col width="100"><col width="100"></colgroup><tbody><tr style="height:0pt"><td style="vertical-align:top;"><p dir="ltr"><span>昼</span></p></td><td><p dir="ltr"><span>1,200円</span></p></td></tr></tbody></table></div></b>`,
    paragraphs: ['1. 入会\n(1) 申込書\n(2) 会費\n2. 退会', '昼　1,200円'],
    notices: [table],
  },
  'a checklist of Google Docs and an emoji of Gmail': {
    html: `<ul><li dir="ltr" role="checkbox" aria-checked="false" aria-level="1"><p dir="ltr"><span>買い出し</span></p></li></ul><div dir="ltr">ありがとうございます<img data-emoji="😊" class="an1" alt="😊" aria-label="😊" draggable="false" src="https://fonts.gstatic.example/s/e/notoemoji/15.0/1f60a/72.png" loading="lazy"> 🇯🇵<img class="emoji" alt="👨‍👩‍👧" src="https://x.example/f.svg"></div>`,
    paragraphs: ['・買い出し', 'ありがとうございます😊 🇯🇵👨‍👩‍👧'],
  },
  'cells of Excel': {
    html: `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">\r\n<head><meta name=ProgId content=Excel.Sheet><style><!--table{mso-displayed-decimal-separator:"\\.";} .xl65{mso-number-format:"h:mm";}--></style></head>\r\n<body link="#0563C1" vlink="#954F72">\r\n<table border=0 cellpadding=0 cellspacing=0 width=144 style='border-collapse:collapse;width:108pt'>\r\n<!--StartFragment-->\r\n <col width=72 span=2 style='width:54pt'>\r\n <tr height=25 style='height:18.75pt'>\r\n  <td height=25 width=72 style='height:18.75pt'>昼</td>\r\n  <td class=xl65 align=right width=72 x:num="0.458333">11:00</td>\r\n </tr>\r\n <tr height=25>\r\n  <td height=25>夜</td>\r\n  <td class=xl65 align=right>17:00</td>\r\n </tr>\r\n<!--EndFragment-->\r\n</table>\r\n</body>\r\n</html>`,
    paragraphs: ['昼　11:00', '夜　17:00'],
    notices: [table],
  },
  'one cell of Google Sheets': {
    html: `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr" border="1" data-sheets-root="1"><colgroup><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="overflow:hidden;padding:2px 3px;" data-sheets-value="{&quot;1&quot;:2,&quot;2&quot;:&quot;本日休業&quot;}">本日休業<br/>明日は営業</td></tr></tbody></table></google-sheets-html-origin>`,
    paragraphs: ['本日休業 明日は営業'],
  },
  'cells of LibreOffice Calc': {
    html: `<!DOCTYPE html>\n<html>\n<head>\n\t<meta http-equiv="content-type" content="text/html; charset=utf-8"/>\n\t<title></title>\n\t<meta name="generator" content="LibreOffice 25.2 (Linux)"/>\n\t<style type="text/css">body,div,table { font-family:"Noto Sans CJK JP"; font-size:x-small }</style>\n</head>\n<body>\n<table cellspacing="0" border="0">\n\t<colgroup span="3" width="85"></colgroup>\n\t<tr>\n\t\t<td height="17" align="left"><font face="Noto">月</font></td>\n\t\t<td align="left"><br></td>\n\t\t<td align="right" sdval="900" sdnum="1041;">900</td>\n\t</tr>\n</table>\n</body>\n</html>`,
    paragraphs: ['月　 　900'],
    notices: [table],
  },
  'a nested list and a footnote of LibreOffice Writer': {
    html: `<body lang="ja-JP" dir="ltr"><ol>\n\t<li><p style="margin-bottom: 0cm">申し込む</p>\n\t<ol>\n\t\t<li><p>電話で</p></li>\n\t\t<li><p>店先で</p></li>\n\t</ol></li>\n\t<li><p>支払う<a class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym"><sup>1</sup></a></p></li>\n</ol>\n<div id="sdfootnote1"><p class="sdfootnote"><a class="sdfootnotesym" name="sdfootnote1sym" href="#sdfootnote1anc">1</a>現金のみ</p></div></body>`,
    paragraphs: ['1. 申し込む\n(1) 電話で\n(2) 店先で\n2. 支払う[1]', '[1]現金のみ'],
    notices: [footnote],
  },
  'nested lists of Pages': {
    html: `<meta name="Generator" content="Cocoa HTML Writer"><ol class="ol1"><li class="li1"><span class="s1"></span>前菜<ol class="ol2"><li class="li1">八寸</li></ol></li><li class="li1">椀物</li></ol><p class="p1">税込<span class="Apple-tab-span">\t</span>8,000円<span class="Apple-converted-space">&nbsp;</span></p>`,
    paragraphs: ['1. 前菜\n(1) 八寸\n2. 椀物', '税込 8,000円'],
  },
  'a Gmail message with its quotation': {
    html: `<div dir="ltr">お世話になっております。<div><br></div><div>下記の件、承知しました。</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">2026年11月20日(金) 9:00 店 &lt;<a href="mailto:shop@example.jp">shop@example.jp</a>&gt;:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204)"><div dir="ltr">ご予約の件です。<u></u></div></blockquote></div>`,
    paragraphs: [
      'お世話になっております。',
      '下記の件、承知しました。',
      '2026年11月20日(金) 9:00 店 <shop@example.jp（mailto:shop@example.jp）>:',
      'ご予約の件です。',
    ],
  },
  'a page of Notion': {
    html: `<meta charset='utf-8'><!-- notionvc: 1f2 --><h3>仕込み</h3><ul><li>出汁<ul><li>昆布<ul><li>利尻</li></ul></li></ul></li></ul><ol start="3"><li>味見</li></ol><details open=""><summary>折りたたみ</summary><p>中身</p></details><figure class="callout"><div>💡</div><div>ご注意</div></figure><pre><code>一行目\n二行目</code></pre><div class="equation"><math><mi>x</mi></math></div><iframe src="https://video.example/"></iframe>`,
    paragraphs: [
      '□仕込み',
      '・出汁\n・昆布\n　・利尻',
      '3. 味見',
      '折りたたみ',
      '中身',
      '💡',
      'ご注意',
      '一行目\n二行目',
    ],
    notices: [figure],
  },
  'a web page whose headings are buttons': {
    html: `<div><h3><button type="button" aria-expanded="true">予約はできますか<svg aria-hidden="true"><path d="M0 0"/></svg></button></h3><div>はい、できます。</div><textarea>書きかけの文</textarea><select><option>選ぶ</option></select></div>`,
    paragraphs: ['□予約はできますか', 'はい、できます。', '書きかけの文'],
  },
  'lists of a web page with invalid levels and numbers': {
    html: '<ol start="x"><li value="">一</li><li value="-3" aria-level="999999999">二</li><li aria-level="1e9">三</li></ol><ul><li aria-level="-1">四</li></ul>',
    paragraphs: [`1. 一\n${'　'.repeat(8)}(2) 二`, '3. 三', '・四'],
  },
  'a list of a web page that continues after its nested list': {
    html: '<ol><li>火を止める<ul><li>余熱で五分</li></ul>蓋は開けない</li><li value="5">盛る</li><li>出す</li></ol>',
    paragraphs: ['1. 火を止める\n・余熱で五分\n蓋は開けない', '5. 盛る', '6. 出す'],
  },
}

/** The plain text of a chat, as LINE for computers copies it. */
export const lineChat =
  '2026.11.20 金曜日\r\n12:03\tはな\t明日の<席>は?\r\n12:05\t店\t空いています😊\r\n\r\n1. 電話\r\n'
