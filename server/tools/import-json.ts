/** The last value counts; `earlier` is an overridden one. */
type OnRepeatedName = (object: object, name: string, earlier: unknown) => void

// Deeper than any document database allows.
const MAX_DEPTH = 100
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s{}[\]:,"]+/g

/** Like `JSON.parse` (RFC 8259), but reports repeated names. */
export function readJson(text: string, onRepeatedName: OnRepeatedName): unknown {
  JSON.parse(text)
  const tokens = text.matchAll(TOKEN)
  const next = () => (tokens.next().value as RegExpExecArray)[0]

  function valueFrom(token: string, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new SyntaxError(`JSON nested too deeply: expected at most ${MAX_DEPTH} levels`)
    if (token === '[') {
      const list: unknown[] = []
      for (let first = next(); first !== ']'; first = next()) list.push(valueFrom(first, depth + 1))
      return list
    }
    return token === '{' ? objectFrom(depth) : JSON.parse(token)
  }

  function objectFrom(depth: number) {
    const entries: [string, unknown][] = []
    for (let name = next(); name !== '}'; name = next()) entries.push([JSON.parse(name), valueFrom(next(), depth + 1)])
    const last = new Map(entries.map(([name], place) => [name, place]))
    const object = Object.fromEntries(entries)
    for (const [place, [name, value]] of entries.entries())
      if (last.get(name) !== place) onRepeatedName(object, name, value)
    return object
  }

  return valueFrom(next(), 0)
}
