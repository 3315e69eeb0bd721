import { parse } from 'postcss'
import { parseAst } from 'vite'
import { features } from 'web-features'
import { oldestBrowsers } from '../../scripts/oldest-browsers.ts'

const { chrome, edge, firefox, safari, ios } = oldestBrowsers
const oldest: Record<string, number> = {
  chrome,
  chrome_android: chrome,
  edge,
  firefox,
  firefox_android: firefox,
  safari,
  safari_ios: ios,
}

// The keys are feature names of the browser compatibility data, for example api.URL.parse_static.
const compatibility = new Map(
  Object.values(features)
    .flatMap((feature) => (feature.kind === 'feature' ? Object.entries(feature.status.by_compat_key ?? {}) : []))
    .map(([key, { support, baseline }]) => [
      key,
      {
        isNewer: Object.entries(oldest).some(([browser, version]) => isAfter(support[browser as 'chrome'], version)),
        isInEachEngine: Boolean(baseline),
      },
    ]),
)

// `since` is "16.4" or "≤18", undefined if the browser lacks the feature, or a preview version without a number.
function isAfter(since: string | undefined, version: number) {
  const [major = '', minor = '0'] = since?.replace('≤', '').split('.') ?? []
  const [oldestMajor = 0, oldestMinor = 0] = String(version).split('.').map(Number)
  return !(Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) <= oldestMinor))
}

/** A JavaScript API. The owner is the interface or namespace of the API. A global has no owner. */
type Api = { owner?: string; name: string; isStatic: boolean }

// Returns null for CSS, HTML and parts of an API, for example parameters.
function apiOf(key: string): Api | null {
  const [, path] = /^(?:api|javascript\.builtins)\.([\w.]+)$/.exec(key) ?? []
  const [first = '', second, third] = path?.split('.') ?? []
  if (!first || third !== undefined) return null
  if (second === undefined) return { name: first, isStatic: true }
  // The data list Intl.Segmenter like an instance member, although it is static.
  return { owner: first, name: second.replace(/_static$/, ''), isStatic: /_static$/.test(second) || first === 'Intl' }
}

const apis = [...compatibility].flatMap(([key, support]) => {
  const api = apiOf(key)
  return api ? [{ ...api, ...support }] : []
})

/** The APIs that at least one of the oldest browsers lacks. */
export const newerApis: Api[] = apis.filter(({ isNewer }) => isNewer)

/** Deletes APIs from the page in which this function runs. For `addInitScript`. */
export function deleteApis(apis: Api[]) {
  for (const { owner, name } of apis) {
    const holder = owner === undefined || owner === 'Window' ? globalThis : Reflect.get(globalThis, owner)
    // The data do not always show whether a member of a built-in object is static.
    for (const target of [holder, holder?.prototype]) if (target) Reflect.deleteProperty(target, name)
  }
}

const olderMembers = new Set(apis.filter(({ isNewer }) => !isNewer).map(({ name }) => name))
// A script shows only the names of instance members, so a name must be unique and supported by every engine.
const newerMembers = new Set(
  apis
    .filter((api) => api.isNewer && api.isInEachEngine && !api.isStatic && !olderMembers.has(api.name))
    .map(({ name }) => name),
)
const newerStatics = new Set(
  newerApis.filter(({ isStatic }) => isStatic).map(({ owner, name }) => (owner ? `${owner}.${name}` : name)),
)

/** Returns the newer APIs in a script, for example `URL.parse`, or `toSorted` for an instance member. */
export function newerApisIn(script: string) {
  const newerNames = new Set<string>()
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    const { type, object, property, computed } = node as Record<string, { name?: string; value?: unknown }>
    if (`${type}` === 'MemberExpression') {
      const name = `${computed ? property?.value : property?.name}`
      const names = [
        `${object?.name}.${name}`,
        ...(/^(?:window|globalThis|self)$/.test(`${object?.name}`) ? [name] : []),
      ]
      for (const each of names) if (newerStatics.has(each)) newerNames.add(each)
      if (newerMembers.has(name)) newerNames.add(name)
    } else if (`${type}` === 'NewExpression' || `${type}` === 'CallExpression') {
      const { callee } = node as { callee: { name?: string } }
      if (callee.name && newerStatics.has(callee.name)) newerNames.add(callee.name)
    }
    for (const child of Object.values(node)) walk(child)
  }
  walk(parseAst(script))
  return [...newerNames]
}

/** Returns the newer properties, values, functions, at-rules, media features and pseudo-classes in a stylesheet. */
export function newerFeaturesIn(stylesheet: string) {
  const used = new Set<string>()
  const getWords = (text: string) => text.replaceAll(/var\([^)]*\)/g, '').match(/[a-z][a-z-]*/g) ?? []
  parse(stylesheet).walk((node) => {
    if (node.type === 'decl') {
      for (const value of ['', ...getWords(node.value).map((word) => `.${word}`)])
        used.add(`properties.${node.prop}${value}`)
      for (const [, name] of node.value.matchAll(/([a-z-]+)\(/g)) used.add(`types.${name}`).add(`types.color.${name}`)
    } else if (node.type === 'atrule')
      for (const word of ['', ...getWords(node.params).map((word) => `.${word}`)])
        used.add(`at-rules.${node.name}${word}`)
    else if (node.type === 'rule') {
      for (const [, name] of node.selector.matchAll(/::?([a-z-]+)/g)) used.add(`selectors.${name}`)
      if (node.parent?.type === 'rule') used.add('selectors.nesting')
    }
  })
  return [...used].filter((key) => compatibility.get(`css.${key}`)?.isNewer)
}
