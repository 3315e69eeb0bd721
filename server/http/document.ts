import { hash } from 'node:crypto'
import { headingFont } from './heading-font.ts'
import { type Rule, stylesFor } from './page-styles.ts'

export type Stylesheet = { href: string; rules: Rule[] }

/** Inserts styles and the heading font. The policy allows exactly the document's inline scripts and styles. */
export function finishDocument(html: string, { href, rules }: Stylesheet) {
  const font = headingFont(html)
  // React must not render this element: if an error replaced the page, React would recreate it empty.
  const style = `${font.rule}${stylesFor(html, rules)}`
  const document = readFirst(html, href).replace('</head>', () => `<style>${style}</style></head>`)
  const policy = policyFor({
    scripts: [...document.matchAll(SCRIPT)].map(([, code = '']) => hashOf(code)),
    style: hashOf(style),
  })
  return { document, policy, font }
}

const time = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' })

/** Appends a notice after React's content that the page dates from `at`, in milliseconds since 1970. */
export function documentAsOf(document: string, at: number) {
  const sentence = `ただいま最新の内容を読み込めないため、${time.format(at)} 現在のページをお見せしています。`
  return document.replace('</body>', () => `<aside data-as-of role="status">${sentence}</aside></body>`)
}

// The page is readable without its scripts, so they load after the first paint.
function readFirst(html: string, stylesheet: string) {
  const modules = [...html.matchAll(PRELOAD)].map(([, href]) => href).join(' ')
  return html.replaceAll(PRELOAD, '').replace(/<script type="module"[^>]*>([\s\S]*?)<\/script>/, (_, code: string) => {
    const named = `data-stylesheet="${stylesheet}" data-modules="${modules}"`
    return `<script type="text/plain" id="later" ${named}>${code}</script><script>${START}</script>`
  })
}

const PRELOAD = /<link rel="modulepreload" href="([^"]*)"[^>]*>/g

// The scripts start at the first contentful paint, or a second after `load` if the browser does not report it.
// They may render anything in the whole stylesheet. Without it they do not start, and links and forms work natively.
const START = `{
const {dataset:{stylesheet,modules},textContent}=document.getElementById("later");
const add=(name,to,props)=>to.append(Object.assign(document.createElement(name),props));
const run=()=>add("script",document.body,{type:"module",textContent});
let start=()=>{start=()=>{};
for(const href of modules.split(" "))add("link",document.head,{rel:"modulepreload",href});
if(stylesheet)add("link",document.head,{rel:"stylesheet",href:stylesheet,onload:run});else run()};
new PerformanceObserver((seen)=>{if(seen.getEntriesByName("first-contentful-paint").length)start()})
.observe({type:"paint",buffered:true});
addEventListener("load",()=>setTimeout(()=>start(),1000))}`

const SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g

function policyFor({ scripts, style }: { scripts: string[]; style: string }) {
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    `style-src 'self' ${style}`,
    "img-src 'self' blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    'frame-src https://www.youtube-nocookie.com/embed/ https://www.google.com/maps',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashOf(code: string) {
  return `'sha256-${hash('sha256', code, 'base64')}'`
}
