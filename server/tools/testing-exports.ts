import fc from 'fast-check'
import { collectionNames } from '../../app/cards/card.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'

/** A field of a document. `mark` is a text that occurs nowhere else, or null if the value is not a text. */
type MarkedField = { name: string; mark: string | null }

/** A document with its name in the report. Each part (the document or a list entry) must be stored or reported. */
export type ExpectedDocument = { reportName: string; collection: string; id: string; parts: MarkedField[][] }

/** An exported member. `identity` is a text that only this member has. */
export type ExportedMember = { reportName: string; identity: string; email: string; author: string; flag: unknown }

/** An export with the expected results of its import. */
export type GeneratedExport = {
  /** The content of each file by its path. */
  files: Map<string, string>
  documents: ExpectedDocument[]
  /** The number of invalid documents in `files`. */
  invalidCount: number
  people: ExportedMember[]
  /** The identity of each card with the path of its image. */
  shown: { identity: string; path: string }[]
  /** Texts that the report must also contain. */
  otherReportTexts: string[]
}

type Entries = [string, unknown][]
type Given = { collection: string; id: string }
type Document = ExpectedDocument & { fields: Entries; below: Document[] }

// The entries of a JSON object, in which a name may occur twice.
class JsonObject {
  readonly entries: Entries
  constructor(entries: Entries) {
    this.entries = entries
  }
}

/** Generates exports with valid and odd documents of every type, together with the expected results. */
export const exports: fc.Arbitrary<GeneratedExport> = fc.gen().map((g) => {
  const maker = createMaker(g)
  const documents = maker.list(1, 7, () => maker.document())
  const twice = documents.filter(() => maker.chance(15)).map((document) => maker.document(document))
  return writeFiles(maker, [...documents, ...twice])
})

type Maker = ReturnType<typeof createMaker>

function createMaker(g: fc.GeneratorValue) {
  let count = 0
  const one = <T>(...list: T[]) => g(fc.constantFrom<T[]>, ...list) as T
  const chance = (percent: number) => g(fc.integer, { min: 0, max: 99 }) >= 100 - percent
  const number = () => (count += 1)
  const word = () => `w${number()}z`
  const people: ExportedMember[] = []
  const shown: GeneratedExport['shown'] = []
  const maker = { one, chance, number, word, people, shown, list, text, oddValue, time, day, document }

  function list<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: g(fc.integer, { min, max }) }, make)
  }

  /** Generates a text, or sometimes a value of another type. */
  function text(name: string, outer = (own: string) => `語${own}`): [unknown, MarkedField] {
    if (chance(12)) return oddValue(name)
    const mark = word()
    return [outer(mark), { name, mark }]
  }

  function oddValue(name: string): [unknown, MarkedField] {
    const mark = word()
    return one<[unknown, MarkedField]>(
      [true, { name, mark: null }],
      [[mark], { name, mark }],
      [{ x: mark }, { name, mark }],
    )
  }

  /** Generates a time in a format that the old site, export tools or people use. */
  function time(name: string): [unknown, MarkedField] {
    if (chance(10)) return [`きのう${word()}`, { name, mark: null }]
    const at = new Date(Date.parse('2020-01-01T00:00:00.000Z') + number() * 3_600_000 + 7)
    const [_seconds, _nanoseconds] = [Math.floor(at.getTime() / 1000), 7_000_000]
    const japanese = new Date(at.getTime() + 9 * 3_600_000).toISOString()
    const value = one<unknown>(
      at.toISOString(),
      { _seconds, _nanoseconds },
      { seconds: _seconds, nanoseconds: _nanoseconds },
      { __datatype__: 'timestamp', value: { _seconds, _nanoseconds } },
      `${japanese.slice(0, 10).replaceAll('-', '/')} ${japanese.slice(11, 23)}`,
    )
    return [value, { name, mark: at.toISOString() }]
  }

  function day() {
    return new Date(Date.parse('2024-01-01') + number() * 86_400_000).toISOString().slice(0, 10)
  }

  function document(like?: Given): Document {
    const cards = one('dining', ...collectionNames)
    const people = one('members', 'members', 'events', 'recipes')
    const collection = like?.collection ?? one(cards, cards, people, people, 'bussinessDays', 'bussinessDaysSpecial')
    const id = like?.id ?? one('a1', 'a2', 'b-1', 'b_2', 'c3', 'あ', 'a b')
    const of = `${collection}/${id}`
    const below = chance(12) ? list(1, 2, () => subdocument(of)) : []
    return { reportName: of, collection, id, ...contentOf(maker, collection, of), below }
  }

  function subdocument(above: string): Document {
    const [collection, id] = [`${above}/${one('notes', 'events')}`, `s${number()}`]
    return { reportName: `${collection}/${id}`, collection, id, ...other(maker), below: [] }
  }

  return maker
}

type Content = Pick<Document, 'fields' | 'parts'>

function contentOf(maker: Maker, collection: string, of: string): Content {
  if (collection === 'members') return member(maker, of)
  if (collection === 'events') return event(maker)
  if (collection === 'bussinessDays') return week(maker)
  if (collection === 'bussinessDaysSpecial') return specialDays(maker)
  return collection === 'recipes' ? other(maker) : cards(maker)
}

// Splits generated fields into their values and their `MarkedField`s.
function splitMarks(generated: [string, [unknown, MarkedField]][]) {
  return {
    fields: generated.map(([name, [value]]): [string, unknown] => [name, value]),
    marked: generated.map(([, [, marked]]) => marked),
  }
}

function randomTimes(maker: Maker): [string, [unknown, MarkedField]][] {
  const names = ['createdAt', 'created_at', 'updatedAt', 'updated_at'].filter(() => maker.chance(30))
  return names.map((name) => [name, maker.time(name)])
}

function unknownField(maker: Maker): [string, [unknown, MarkedField]][] {
  const name = `謎${maker.number()}`
  return maker.chance(20) ? [[name, maker.text(name)]] : []
}

const cardTexts = [
  'title',
  'content',
  'linkUrl',
  'youtubeUrl',
  'imageAlt',
  'text1',
  'text2',
  'text3',
  'marks',
  'allergens',
]

function cardFields(maker: Maker) {
  const { one, chance, number, word, day } = maker
  const identity = word()
  const fields: [string, [unknown, MarkedField]][] = [['other', [identity, { name: 'other', mark: identity }]]]
  for (const name of cardTexts.filter(() => chance(45))) fields.push([name, maker.text(name)])
  for (const name of ['order', 'price'].filter(() => chance(45))) {
    const own = 100_000 + number()
    const value = one<unknown>(own, String(own), name === 'price' ? `${own}円` : ` ${own}`)
    const wrong = one<unknown>('千円', true, [own], ...(name === 'price' ? [own + 0.5] : []))
    if (chance(15)) fields.push([name, [wrong, { name, mark: null }]])
    else fields.push([name, [value, { name, mark: `${name}=${own}\n` }]])
  }
  for (const name of ['eventdate', 'eventday', 'eventdatestring'].filter(() => chance(25))) {
    const own = day()
    const [year, month, date] = own.split('-').map(Number)
    const value = one(own, `${year}/${month}/${date}`, `${year}年${month}月${date}日`, `${own}T00:00:00+09:00`)
    fields.push([name, chance(15) ? ['2023-02-30', { name, mark: null }] : [value, { name, mark: own }]])
  }
  if (chance(15)) fields.push(['draft', [one<unknown>('true', 1), { name: 'draft', mark: null }]])
  if (chance(5)) fields.push(...pictureOf(maker, identity))
  return splitMarks([...fields, ...randomTimes(maker), ...unknownField(maker)])
}

function pictureOf(maker: Maker, identity: string): [string, [unknown, MarkedField]][] {
  const own = maker.word()
  const missing = `https://old.example/${own}.png`
  const path = maker.one('uploads/one.png', 'old/one.png', 'uploads/broken.jpg', missing)
  const url = path === missing ? path : `https://old.example/o/${encodeURIComponent(path)}?alt=media&token=${own}`
  const isGood = path !== missing && path !== 'uploads/broken.jpg'
  if (isGood) maker.shown.push({ identity, path })
  const name = maker.one('image', 'src')
  const picture: [string, [unknown, MarkedField]] = [name, [url, { name, mark: isGood ? identity : own }]]
  const other = maker.word()
  return name === 'image' && maker.chance(30)
    ? [picture, ['src', [`${other}.png`, { name: 'src', mark: other }]]]
    : [picture]
}

function cards(maker: Maker): Content {
  const { one, chance, word } = maker
  if (chance(60)) {
    const { fields, marked } = cardFields(maker)
    return { fields, parts: [marked] }
  }
  const outer = splitMarks([...randomTimes(maker), ...unknownField(maker)])
  if (chance(10)) {
    const mark = word()
    return {
      fields: [['jsonData', `[{"title":"${mark}`], ...outer.fields],
      parts: [[{ name: '', mark }], outer.marked],
    }
  }
  const parts = [outer.marked]
  const items = maker.list(1, 3, () => {
    const mark = word()
    if (chance(10)) {
      parts.push([{ name: '', mark }])
      return mark
    }
    const { fields, marked } = cardFields(maker)
    parts.push(marked)
    const known = one<Entries>([], [['id', one<unknown>('a1', 'a2', 'q7', 12, 'x y')]])
    return new JsonObject([...known, ...fields])
  })
  return { fields: [['jsonData', chance(70) ? json(items) : items], ...outer.fields], parts }
}

const memberTexts = ['username', 'accountname', 'address', 'tel_num', 'profile', 'strengths', 'challenge', 'birthday']

function member(maker: Maker, of: string): Content {
  const { one, chance, word } = maker
  const identity = word()
  const fields: [string, [unknown, MarkedField]][] = [['struggles', [identity, { name: 'struggles', mark: identity }]]]
  for (const name of memberTexts.filter(() => chance(60))) fields.push([name, maker.text(name)])
  const emails = ['a@example.jp', 'A@example.jp', 'b@Example.jp', 'b@example.jp', 'c@example.jp', 'd@example.jp']
  const email = one(...emails, '', `${word()}@x`)
  if (email) fields.push(['email', [email, { name: 'email', mark: email.endsWith('@x') ? email : identity }]])
  const flag = one<unknown>(true, true, false, 'true', 1)
  const mark = typeof flag === 'boolean' ? identity : null
  fields.push(['administrator', [flag, { name: 'administrator', mark }]])
  const author = chance(90) ? one('uid-1', 'uid-2', 'uid-3', 'nonMember-1', 'nonMember-2', 'nonMember of a name') : ''
  if (author) {
    const oldAuthor = { id: author, username: word() }
    fields.push(['author', [one<unknown>(oldAuthor, json(oldAuthor)), { name: 'author', mark: oldAuthor.username }]])
  }
  maker.people.push({ reportName: of, identity, email, author, flag })
  const generated = splitMarks([...fields, ...randomTimes(maker), ...unknownField(maker)])
  return { fields: generated.fields, parts: [generated.marked] }
}

function event(maker: Maker): Content {
  const { chance, day, word } = maker
  const [own, content] = [day(), word()]
  const fields: [string, [unknown, MarkedField]][] = [['content', [content, { name: 'content', mark: content }]]]
  if (chance(90)) fields.push(['title', maker.text('title')])
  const date = chance(90) ? own : 'いつか'
  fields.push(['date', [date, { name: 'date', mark: date === own ? own : null }]])
  if (chance(15)) fields.push(['capacity', [100 + maker.number(), { name: 'capacity', mark: null }]])
  if (chance(10)) fields.push(['attendance', ['yes', { name: 'attendance', mark: null }]])
  const inner = splitMarks([...fields, ...randomTimes(maker), ...unknownField(maker)])
  if (chance(30)) return { fields: inner.fields, parts: [inner.marked] }
  const outer = splitMarks([...randomTimes(maker), ...unknownField(maker)])
  const text = json(new JsonObject(inner.fields))
  const jsonData = chance(93) ? text : text.slice(0, -1)
  return { fields: [['jsonData', jsonData], ...outer.fields], parts: [[...inner.marked, ...outer.marked]] }
}

function hours(maker: Maker) {
  const minutes = maker.number() % 1439
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  const slot = { starttime1_hour: hour, starttime1_minute: minute, endtime1_hour: '23', endtime1_minute: '59' }
  const none = { starttime2_hour: 0, starttime2_minute: '00', endtime2_hour: 0, endtime2_minute: '00' }
  const mark = `"starttime1_hour":"${hour}","starttime1_minute":"${minute}"`
  return { slots: { ...slot, ...none }, mark }
}

function week(maker: Maker): Content {
  const { one, chance, word } = maker
  const rows = [...scheduleRows, '年末年始', '月', '火曜'].filter(() => chance(80))
  const marked: MarkedField[] = []
  const schedule = rows.map((row): [string, unknown] => {
    const { slots, mark } = hours(maker)
    marked.push({ name: row === '月' ? '月曜日' : row === '火曜' ? '火曜日' : row, mark })
    return [row, { ...slots, open_or_close: one('open', 'close', 'open') }]
  })
  if (chance(10)) {
    const name = word()
    marked.push({ name, mark: name })
    schedule.push([name, 'いつでも'])
  }
  const { fields, marked: outer } = splitMarks([...randomTimes(maker), ...unknownField(maker)])
  const whole = new JsonObject(schedule)
  const text = chance(93) ? one<unknown>(json(whole), whole) : json(whole).slice(1)
  return { fields: [['schedule', text], ...fields], parts: [[...marked, ...outer]] }
}

function specialDays(maker: Maker): Content {
  const { one, chance, word } = maker
  const outer = splitMarks([...randomTimes(maker), ...unknownField(maker)])
  const parts = [outer.marked]
  const entries = maker.list(1, 4, () => {
    const [reason, { slots, mark }] = [word(), hours(maker)]
    parts.push([reason, mark].map((each) => ({ name: '', mark: each })))
    if (chance(10)) return `${reason} ${mark}`
    const words = one(`臨時${reason}`, `臨時営業${'長'.repeat(40)}${reason}`)
    const selectedDay = one<unknown>(1, 2, 3, '4', 5, 6, 31)
    return { reason: words, selectedYear: 2027, selectedMonth: one<unknown>(2, '6', 7), selectedDay, ...slots }
  })
  return { fields: [['schedule', chance(70) ? json(entries) : entries], ...outer.fields], parts }
}

function other(maker: Maker): Content {
  const { fields, marked } = splitMarks([
    ['memo', [maker.word(), { name: '', mark: null }]],
    ['title', maker.text('title')],
  ])
  const [[, memo] = []] = fields
  return { fields, parts: [[{ name: '', mark: String(memo) }, ...marked]] }
}

// Writes each document into the file of its collection, into a file with all collections, or into both files.
function writeFiles(maker: Maker, documents: Document[]): GeneratedExport {
  const { chance, one, word, people, shown } = maker
  const targets = documents.map(() => one(['own'], ['own'], ['all'], ['own', 'all']))
  const at = (place: string) =>
    Map.groupBy(
      documents.filter(({ collection }, index) =>
        (collection === 'recipes' ? ['all'] : (targets[index] ?? [])).includes(place),
      ),
      ({ collection }) => collection,
    )
  const files = new Map<string, string>()
  for (const [collection, own] of at('own')) files.set(`${collection}.json`, json(collectionOf(maker, own)))
  const all = [...at('all')].map(([collection, own]): [string, unknown] => [collection, collectionOf(maker, own)])
  const alsoNamed = ['uploads/unused.png']
  const others = maker.list(0, 1, word)
  for (const mark of others) all.push(['menu', { bad: mark }])
  for (const mark of maker.list(0, 1, word)) alsoNamed.push(all.push([mark, one<unknown>(1, null, mark)]) ? mark : '')
  const everything = new JsonObject(all)
  if (all.length > 0)
    files.set(
      'all.json',
      json(isKnownIn(all) && chance(50) ? everything : new JsonObject([['__collections__', everything]])),
    )
  if (chance(20)) files.set(alsoNamed[alsoNamed.push('torn.json') - 1] ?? '', '{"events": ')
  const generated = documents.flatMap((document) => [document, ...document.below])
  return {
    files,
    documents: generated,
    invalidCount: others.length,
    people,
    shown,
    otherReportTexts: [...alsoNamed, ...others],
  }
}

// A file without a known collection is recognised only with `__collections__`.
function isKnownIn(all: [string, unknown][]) {
  return all.some(([name]) => name !== 'recipes' && name !== 'menu' && !/^w\d+z$/.test(name))
}

function collectionOf({ one, chance }: Maker, documents: Document[]) {
  if (chance(60)) return new JsonObject(documents.map((document) => [document.id, new JsonObject(insideOf(document))]))
  const wrapper = one('', 'data', 'fields')
  return documents.map((document) => {
    const inside = [...insideOf(document)]
    // Some tools write a field beside the wrapper.
    const beside = wrapper && chance(30) ? inside.splice(1, 1) : []
    return new JsonObject([
      ['id', document.id],
      ...beside,
      ...(wrapper ? ([[wrapper, new JsonObject(inside)]] as Entries) : inside),
    ])
  })
}

function insideOf({ fields, below }: Document): Entries {
  const names = Map.groupBy(below, ({ collection }) => collection.slice(collection.lastIndexOf('/') + 1))
  const collections = [...names].map(([name, documents]): [string, unknown] => [
    name,
    new JsonObject(documents.map((document) => [document.id, new JsonObject(insideOf(document))])),
  ])
  return below.length > 0 ? [...fields, ['__collections__', new JsonObject(collections)]] : fields
}

function json(value: unknown): string {
  if (value instanceof JsonObject)
    return `{${value.entries.map(([name, inner]) => `${JSON.stringify(name)}:${json(inner)}`)}}`
  return Array.isArray(value) ? `[${value.map(json)}]` : JSON.stringify(value)
}
