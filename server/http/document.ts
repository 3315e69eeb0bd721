import { hash } from 'node:crypto'
import { languageCode, t } from '../../app/languages/language.ts'
import { languages, runInLanguage } from '../../app/languages/languages.server.ts'
import { headingFont } from './heading-font.ts'
import { inPalette, type Rule, stylesFor } from './page-styles.ts'

export type Stylesheet = { href: string; rules: Rule[] }

/** Adds styles and the heading font. `policy` is a CSP that allows only the inline code of the document. */
export function finishDocument(html: string, { href, rules }: Stylesheet) {
  const { document, names, headings, scripts } = readDocument(html, href)
  const font = headingFont(headings)
  const style = `${font.rule}${stylesFor(names, rules)}`
  return {
    // React must not render this element. If an error replaced the page, React would recreate the element without
    // content.
    document: document.replace('</head>', () => `<style>${style}</style></head>`),
    policy: policyFor({ scripts: scripts.map(cspHashOf), style: cspHashOf(style) }),
    font,
  }
}

const TAG = /<script([^>]*)>([\s\S]*?)<\/script>|<(\/?)([a-z][a-z0-9]*)([^>]*)>|<!--[\s\S]*?-->/g

/** Parses a document. `names` are its classes and palettes, and `headings` its text in the heading font. */
export function readDocument(html: string, stylesheet = '') {
  const classLists = new Set<string>()
  const palettes: string[] = []
  const modules: string[] = []
  const scripts: string[] = []
  let [document, headings] = ['', '']
  // `depth` is the number of open elements, counted from the current heading. `copiedUntil` and `tagEnd` are positions
  // in the HTML.
  let [depth, copiedUntil, tagEnd] = [0, 0, 0]
  for (const match of html.matchAll(TAG)) {
    const [tag, script, code = '', closing, name, attributes = ''] = match
    if (depth > 0) headings += html.slice(tagEnd, match.index)
    tagEnd = match.index + tag.length
    const module = attributeIn(attributes, ' rel="modulepreload" href="')
    const isMain = script?.startsWith(' type="module"')
    if (module || isMain) {
      document += html.slice(copiedUntil, match.index)
      copiedUntil = tagEnd
    }
    if (module) modules.push(module)
    else if (isMain) {
      scripts.push(code, START_SCRIPT)
      const named = `data-stylesheet="${stylesheet}" data-modules="${modules.join(' ')}"`
      document += `<script type="text/plain" id="later" ${named}>${code}</script><script>${START_SCRIPT}</script>`
    } else if (script?.includes(' src=') === false) scripts.push(code)
    else if (closing) depth = Math.max(0, depth - 1)
    else if (name) {
      // React writes elements without content as self-closing tags, such as <br/>.
      const isHeading = depth > 0 || /^h[1-3]$/.test(name) || attributes.includes(' data-mincho')
      if (isHeading && !attributes.endsWith('/')) depth += 1
      classLists.add(attributeIn(attributes, ' class="'))
      palettes.push(attributeIn(attributes, ' data-palette="'))
    }
  }
  const classes = [...classLists].flatMap((list) => list.split(' '))
  const names = new Set([...classes, ...palettes.filter(Boolean).map(inPalette)])
  return { document: document + html.slice(copiedUntil), names, headings, scripts }
}

function attributeIn(attributes: string, start: string) {
  const index = attributes.indexOf(start)
  return index < 0 ? '' : attributes.slice(index + start.length, attributes.indexOf('"', index + start.length))
}

/** Adds a notice with the time `renderedAt` (milliseconds since 1970), outside the content that React renders. */
export function documentAsOf(document: string, renderedAt: number) {
  const code = attributeIn(document, '<html lang="')
  const sentence = runInLanguage(languages.find((language) => language.code === code) ?? null, () => {
    const format = new Intl.DateTimeFormat(languageCode(), {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Asia/Tokyo',
      hourCycle: 'h23',
    })
    return t('ただいま最新の内容を読み込めないため、{time} 現在のページを表示しています。', {
      time: format.format(renderedAt),
    })
  })
  return document.replace('</body>', () => `<aside data-as-of role="status">${sentence}</aside></body>`)
}

// Loads the scripts at the first contentful paint. If the browser does not report this paint, loads them a second after
// `load`. The scripts wait for the whole stylesheet, because they add content that needs it. If the stylesheet fails to
// load, the scripts do not start, and links and forms work without them.
const START_SCRIPT = `{
const {dataset:{stylesheet,modules},textContent}=document.getElementById("later");
const add=(name,to,props)=>to.append(Object.assign(document.createElement(name),props));
const run=()=>add("script",document.body,{type:"module",textContent});
let start=()=>{start=()=>{};
for(const href of modules.split(" "))add("link",document.head,{rel:"modulepreload",href});
if(stylesheet)add("link",document.head,{rel:"stylesheet",href:stylesheet,onload:run});else run()};
new PerformanceObserver((seen)=>{if(seen.getEntriesByName("first-contentful-paint").length)start()})
.observe({type:"paint",buffered:true});
addEventListener("load",()=>setTimeout(()=>start(),1000))}`

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
    "worker-src 'self'",
    'frame-src https://www.youtube-nocookie.com/embed/ https://www.google.com/maps',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function cspHashOf(code: string) {
  return `'sha256-${hash('sha256', code, 'base64')}'`
}
