import { createHash } from 'node:crypto'
import { headingFont } from './heading-font.ts'

/** Finishes documents with this stylesheet, which is hashed once for all of them. */
export function documentsWith(css: string) {
  const stylesheet = `<style>${css}</style>`
  const stylesheetHash = hashesOf(stylesheet, STYLE)

  /** The finished document: stylesheet and heading font put in, and the policy that allows exactly the inline scripts and styles it has. */
  return function finishDocument(html: string) {
    const font = headingFont(html)
    // Outside of what React draws: it would make the element anew, and empty, where an error takes the place of a page.
    const document = readFirst(html).replace('</head>', () => `<style>${font.rule}</style></head>`)
    const styles = `${stylesheetHash} ${hashesOf(document, STYLE)}`
    const policy = policyFor({ scripts: hashesOf(document, SCRIPT), styles })
    return { document: document.replace('</head>', () => `${stylesheet}</head>`), policy, font }
  }
}

const time = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' })

/** The document with a word, behind all that React draws, that it is as it was `at` that time, in milliseconds since 1970. */
export function documentAsOf(document: string, at: number) {
  const sentence = `ただいま最新の内容を読み込めないため、${time.format(at)} 現在のページをお見せしています。`
  return document.replace('</body>', () => `<aside class="as-of" role="status">${sentence}</aside></body>`)
}

// The page is readable without its scripts: they are asked for when it stands on the screen.
function readFirst(document: string) {
  return document
    .replaceAll('<link rel="modulepreload"', '<link data-later="modulepreload"')
    .replace(/<script type="module"[^>]*>([\s\S]*?)<\/script>/, (_, code: string) => {
      return `<script type="text/plain" id="later">${code}</script><script>${START}</script>`
    })
}

// At the first paint with something on it or, where a browser does not tell of that, a second after all else is loaded.
const START = `{
let start=()=>{start=()=>{};
for(const link of document.querySelectorAll("[data-later]"))link.rel=link.dataset.later;
const script=document.createElement("script");script.type="module";
script.textContent=document.getElementById("later").textContent;document.body.append(script)};
new PerformanceObserver((seen)=>{if(seen.getEntriesByName("first-contentful-paint").length)start()})
.observe({type:"paint",buffered:true});
addEventListener("load",()=>setTimeout(()=>start(),1000))}`

const SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g
const STYLE = /<style[^>]*>([\s\S]*?)<\/style>/g

function policyFor({ scripts, styles }: { scripts: string; styles: string }) {
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts}`,
    `style-src 'self' ${styles}`,
    "img-src 'self' blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    'frame-src https://www.youtube-nocookie.com https://www.google.com',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashesOf(document: string, element: RegExp) {
  const bodies = [...document.matchAll(element)].map((match) => match[1] ?? '')
  return bodies.map((body) => `'sha256-${createHash('sha256').update(body).digest('base64')}'`).join(' ')
}
