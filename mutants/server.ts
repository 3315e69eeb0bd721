import type { Mutant } from '../scripts/mutants.ts'

const doctor = { file: 'server/doctor.ts', tests: ['server/doctor.test.ts'] }
const app = { file: 'server/app.ts', tests: ['server/app.test.ts'] }
const health = { file: 'server/handlers/health.ts' }
const failing = { tests: ['server/failing.test.ts'] }
const unansweredTests = ['app/saving/unanswered.test.ts']
const answered = { file: 'app/saving/answered.server.ts' }
const pages = { file: 'server/handlers/pages.ts', tests: ['server/app.test.ts'] }
const settings = { file: 'server/settings.ts', tests: ['server/settings.test.ts'] }
const importTests = ['server/import/import.test.ts']
const exporting = { file: 'server/export.ts', tests: importTests }
const feed = { file: 'app/calendar/calendar-feed.ts', tests: ['app/calendar/calendar-page.test.ts'] }
const collections = { tests: ['server/collections/collections.test.ts'] }
const backups = { file: 'server/nightly-backups.ts', tests: ['server/nightly-backups.test.ts'] }
const repeating = { ...backups, file: 'app/repeat.server.ts' }
const secret = { file: 'server/secret.ts', tests: ['server/secret.test.ts'] }
const sampleShop = {
  file: 'server/sample-shop.ts',
  tests: ['server/app.test.ts', 'server/collections/collections.test.ts'],
}
const door = { file: 'server/handlers/door.ts', tests: ['server/handlers/door.test.ts'] }
const listen = { file: 'server/listen.ts', tests: ['server/listen.test.ts'] }
const origin = { file: 'server/origin.ts', tests: ['server/origin.test.ts'] }
const feedTests = ['app/calendar/calendar-feed.test.ts']
const calendarText = { file: 'app/calendar/icalendar.ts', tests: feedTests }
const identity = { file: 'app/site/identity.server.ts', tests: feedTests }
const pageCache = { file: 'server/handlers/page-cache.ts', tests: ['server/handlers/page-cache.test.ts'] }
const ownSave = { file: 'server/handlers/own-save.ts', tests: ['server/handlers/own-save.test.ts'] }
const compress = { file: 'server/handlers/compress.ts', tests: ['server/handlers/compress.test.ts'] }
const forMachines = { file: 'server/handlers/for-machines.ts', ...{ tests: ['server/app.test.ts'] } }

const forms = { file: 'server/app.ts', tests: ['server/forms.test.ts'] }
const body = { file: 'app/body.server.ts', tests: ['server/forms.test.ts', 'app/media/uploads.test.ts'] }
const form = { file: 'app/form.server.ts', tests: ['server/forms.test.ts', 'app/card-form/pictures-of-cards.test.ts'] }
const turns = { file: 'server/handlers/turns.ts', tests: ['server/handlers/page-cache.test.ts'] }
const log = { file: 'server/log.ts', tests: ['server/log.test.ts'] }
const fonts = { file: 'server/handlers/heading-font.ts', tests: ['server/handlers/heading-font.test.ts'] }
const fontMaker = { file: 'app/thread.server.ts', tests: ['app/thread.server.test.ts'] }

// Each of what they break, in one file of the import.
const importing = (file: string, ...pairs: [string, string][]) =>
  pairs.map(([text, broken]) => ({ file, text, broken, tests: importTests }))

export default [
  {
    ...doctor,
    text: "if (publicOrigin?.startsWith('http:') && !isLoopback(new URL(publicOrigin).hostname))",
    broken: "if (publicOrigin?.startsWith('http:') && isLoopback(new URL(publicOrigin).hostname))",
  },
  {
    ...doctor,
    text: "if (publicOrigin?.startsWith('http:') && !isLoopback(new URL(publicOrigin).hostname))",
    broken: "if (publicOrigin?.startsWith('http:'))",
  },
  { ...doctor, text: 'if (!publicOrigin && !isLoopback(host))', broken: 'if (!isLoopback(host))' },
  { ...doctor, text: 'if (!publicOrigin && !isLoopback(host))', broken: 'if (!publicOrigin && isLoopback(host))' },
  { ...doctor, text: 'passwords.min > passwords.max', broken: 'passwords.min >= passwords.max' },
  { ...doctor, text: '.mode & 0o077) !== 0', broken: '.mode & 0o007) !== 0' },
  { ...doctor, text: '.trim().length < 32', broken: '.trim().length < 31' },
  {
    ...doctor,
    file: 'server/disk-space.ts',
    text: 'Math.max(LEAST_FREE, size * 3)',
    broken: 'Math.max(LEAST_FREE, size * 2)',
  },
  { ...doctor, file: 'app/site/disk-space.ts', text: 'if (free >= needed)', broken: 'if (free > needed)' },
  { ...doctor, text: ".where('state', '=', 'waiting')", broken: ".where('state', '!=', 'sent')" },
  { ...doctor, text: ".where('trouble', 'is not', null)", broken: '' },
  { ...doctor, text: 'instant(latest ?? marks?.latest)', broken: 'instant(marks?.latest)' },
  { ...doctor, text: 'return rows.length > 0 ?', broken: 'return rows.length > 1 ?' },
  { ...doctor, text: 'now - begunAt > OLD_AFTER', broken: 'now - begunAt > 0' },
  { ...doctor, text: 'const OLD_AFTER = 36 * HOUR', broken: 'const OLD_AFTER = 38 * HOUR' },
  { ...doctor, text: 'const OLD_AFTER = 36 * HOUR', broken: 'const OLD_AFTER = 34 * HOUR' },
  { ...doctor, text: 'if (now < PROGRAM_IS_FROM)', broken: 'if (now > PROGRAM_IS_FROM)' },
  { ...doctor, text: "Date.parse('2026-11-01')", broken: "Date.parse('2026-10-01')" },
  { ...doctor, text: 'latest - now > MOST_OFF', broken: 'latest - now > 0' },
  { ...doctor, text: 'if (waiting === 0) return []', broken: 'if (waiting <= 2) return []' },
  { ...doctor, text: "if (status === 'ok' || status === 'full')", broken: 'if (status)' },
  { ...doctor, text: 'if (left < 0)', broken: 'if (left < -RENEWED_BEFORE)' },
  { ...doctor, text: 'if (!socket.authorized)', broken: 'if (!socket.authorized && left < 0)' },
  { ...doctor, text: 'const RENEWED_BEFORE = 7 * DAY', broken: 'const RENEWED_BEFORE = 4 * DAY' },

  { ...app, text: "headers.set('x-content-type-options', 'nosniff')", broken: '' },
  { ...app, text: "'strict-origin-when-cross-origin'", broken: "'unsafe-url'" },
  {
    ...app,
    text: "headers.set('cross-origin-opener-policy', 'same-origin-allow-popups')",
    broken: "headers.set('cross-origin-opener-policy', 'unsafe-none')",
  },
  {
    ...app,
    text: 'if (!isBackFromGoogle(c.req.path)) ',
    broken: '',
    tests: ['app/sign-in/google.test.ts'],
  },
  { ...app, text: 'camera=(), microphone=(), geolocation=()', broken: 'camera=(), microphone=()' },
  { ...app, text: "if (!headers.has('content-security-policy')) {", broken: 'if (false) {' },
  { ...app, text: "if (!headers.has('content-security-policy')) {", broken: 'if (true) {' },
  { ...app, text: `"default-src 'none'; frame-ancestors 'none'"`, broken: `"default-src 'none'"` },
  {
    ...app,
    text: "if (settings.publicOrigin?.startsWith('https:')) {",
    broken: 'if (settings.publicOrigin) {',
  },
  { ...app, text: 'max-age=31536000; includeSubDomains', broken: 'max-age=3153600; includeSubDomains' },
  {
    ...app,
    text: 'refuse(c, sentence, status, status',
    broken: 'refuse(c, error.message + sentence, status, status',
  },
  { ...app, ...answered, text: 'log.error({ err, reference }, saying)', broken: '' },
  { ...app, text: "if (!origin) return refuse(c, 'このアドレスではご覧いただけません。', 400)", broken: '' },
  { ...app, text: "c.req.method === 'GET' || c.req.method === 'HEAD'\n", broken: "c.req.method === 'GET'\n" },
  {
    ...app,
    text: 'if (!reads && !isFromOwnPage(c.req.raw, origin))',
    broken: 'if (!isFromOwnPage(c.req.raw, origin))',
  },
  { ...app, ...health, text: "const headers = { 'cache-control': 'no-store', date", broken: 'const headers = { date' },
  { ...app, ...health, text: '}, code as 200, headers)', broken: '}, 200, headers)' },
  { ...app, ...health, text: 'now - health.failedAt < FAILING_FOR_MS || ', broken: '' },
  { ...failing, ...health, text: ' || (await isSilent(db, ANSWERS_WITHIN_MS))', broken: '' },
  { ...failing, ...health, text: '(room?.free ?? 0) < FULL_BELOW', broken: 'false' },
  { ...failing, ...health, text: 'now - health.unstoredAt < FAILING_FOR_MS', broken: 'false' },
  {
    ...failing,
    file: 'server/app.ts',
    text: "else if (c.res.ok && c.req.method === 'POST') health.unstoredAt = 0",
    broken: '',
  },
  { ...failing, ...answered, text: 'const said = failure ?', broken: 'const said = false ?' },
  { ...failing, ...answered, text: "failure === 'unknown' && failureOf", broken: 'false && failureOf' },
  { ...answered, text: "unanswered: failure === 'unknown'", broken: 'unanswered: false', tests: unansweredTests },
  { ...app, text: "'public, max-age=86400'", broken: "'public, max-age=31536000, immutable'" },
  { ...app, text: "app.get('/art/*', (c) => c.notFound())", broken: '' },
  { ...app, text: "app.get('/assets/*', (c) => c.notFound())", broken: '' },
  {
    ...app,
    file: 'server/handlers/fonts.ts',
    text: "'content-type': 'font/woff2',\n      'cache-control': 'public, max-age=31536000, immutable',",
    broken: "'content-type': 'font/woff2',",
  },
  { ...app, text: "'application/xml; charset=utf-8'", broken: "'text/html; charset=utf-8'" },
  { ...app, text: "'application/manifest+json; charset=utf-8'", broken: "'application/json'" },
  {
    ...forms,
    file: 'server/handlers/mail.ts',
    text: '{ most: TEXT_FORM, address }, readJson',
    broken: '{ most: 2 * TEXT_FORM, address: null }, readJson',
    tests: ['server/app.test.ts'],
  },
  { ...forms, text: 'if (!methods.includes(c.req.method)) {', broken: 'if (false) {' },
  { ...forms, text: "username === '' && password === ''", broken: 'true' },
  { ...forms, text: "decodeURIComponent(pathname) !== ''", broken: 'true' },
  { ...body, text: 'export const SMALL_FORM = 64 * 1024', broken: 'export const SMALL_FORM = 65 * 1024' },
  { ...body, text: 'export const TEXT_FORM = 512 * 1024', broken: 'export const TEXT_FORM = 513 * 1024' },
  { ...body, text: 'const PATIENCE_MS = 20_000', broken: 'const PATIENCE_MS = 21_000' },
  { ...body, text: 'if (!(size <= most)) throw tooLarge()', broken: '' },
  { ...body, text: 'if (length > most) throw tooLarge()', broken: '' },
  { ...body, text: 'if (all >= atOnce) throw', broken: 'if (false) throw' },
  { ...body, text: 'if (arriving.of(network) >= ofOneNetwork)', broken: 'if (false)' },
  { ...body, text: 'small(networkOf(address)', broken: 'small(`${address}`' },
  { ...body, text: 'large(networkOf(address)', broken: 'large(`${address}`' },
  { ...body, text: '      count(network, -1)', broken: '' },
  { ...form, text: 'if (!times || (typeof', broken: 'if ((typeof' },
  {
    file: 'app/form.server.ts',
    text: "if (!times || (typeof value !== 'string') !== (name === file)) continue",
    broken: 'if (!times) continue',
    equal: 'urlencoded forms bring no files, and the field of one is read as a File only',
  },
  { ...form, text: 'left.set(name, times - 1)', broken: '' },
  { ...form, text: '|| !mayBringFile) throw', broken: ') throw' },
  { ...turns, text: 'gate.waiting() < MOST_WAITING', broken: 'true' },
  { ...turns, text: 'const MOST_AT_ONCE = 4', broken: 'const MOST_AT_ONCE = 800' },
  { ...log, text: 'if (kept.count <= MOST_A_MINUTE)', broken: 'if (true)' },
  { ...log, text: '>= ERROR ? wrong : told', broken: '>= ERROR ? told : told' },
  { ...log, text: 'if (missing > 0)', broken: 'if (true)' },
  {
    file: 'server/collections/collections.ts',
    text: 'const MOST = 256 * 1024',
    broken: 'const MOST = 512 * 1024',
    tests: ['server/app.test.ts'],
  },
  { ...pages, text: "pathname.replace(/^\\/+|\\/+$/g, '')", broken: "pathname.replace(/^\\/|\\/+$/g, '')" },
  { ...pages, text: 'search}`, 308)', broken: "''}`, 308)" },
  { ...pages, text: 'search}`, 308)', broken: 'search}`, 302)' },
  {
    ...pages,
    text: 'const found = visitor || !shared ?',
    broken: 'const found = !shared ?',
    tests: ['server/handlers/page-cache.test.ts'],
  },
  {
    ...pages,
    text: "headers.set('cache-control', 'private, no-store')",
    broken: "headers.set('cache-control', 'no-cache')",
    tests: ['app/accounts/accounts.test.ts'],
  },
  { ...pages, text: "headers.delete('etag')", broken: '', tests: ['app/accounts/accounts.test.ts'] },
  {
    ...pages,
    text: "for (const cookie of cookies) headers.append('set-cookie', cookie)",
    broken: '',
    tests: ['app/accounts/accounts.test.ts'],
  },
  {
    ...pages,
    text: 'keep: health.failures === failuresBefore',
    broken: 'keep: true',
    tests: ['server/handlers/page-cache.test.ts'],
  },
  {
    file: 'app/request.ts',
    text: 'health.failures += 1',
    broken: 'health.failures = 1',
    tests: ['server/handlers/page-cache.test.ts'],
  },
  { ...pages, text: "if (!headers.has('cache-control')) headers.set('cache-control', 'no-cache')", broken: '' },
  { ...pages, text: "headers.set('content-security-policy', policy)", broken: '' },
  {
    ...app,
    file: 'server/handlers/pictures.ts',
    text: 'if (!visitor || !mayUpload(visitor, site)) return refused',
    broken: 'if (!visitor) return refused',
    tests: ['app/doors.test.ts'],
  },

  { ...settings, text: '.toLowerCase().optional())', broken: '.optional())' },
  { ...settings, text: ".min(1, '1〜200です')", broken: ".min(0, '1〜200です')" },
  { ...settings, text: ".max(200, '1〜200です')", broken: ".max(300, '1〜200です')" },
  { ...settings, text: ".min(1, '1〜200です')", broken: ".min(2, '1〜200です')" },
  { ...settings, text: 'GOOGLE_CLIENT_ID && GOOGLE_CLIENT_SECRET\n', broken: 'GOOGLE_CLIENT_ID\n' },
  { ...settings, text: "SAMPLE_SHOP === 'yes'", broken: "SAMPLE_SHOP !== 'yes'" },

  { ...listen, text: 'headersTimeout: 15_000', broken: 'headersTimeout: 60_000' },
  { ...listen, text: 'connectionsCheckingInterval: 1000', broken: 'connectionsCheckingInterval: 30_000' },
  { ...listen, text: 'Object.assign(server, { timeout, maxHeadersCount })', broken: '' },
  { ...listen, text: 'createServer(serverOptions, ', broken: 'createServer({}, ' },
  { ...door, text: 'headers.cookie?.includes(OURS)', broken: 'false' },
  { ...door, text: "method !== 'GET' || headers.cookie", broken: 'headers.cookie' },
  { ...door, text: 'if (!found?.isCurrent()) return false', broken: 'if (!found) return false' },
  { ...door, text: "`${headers.host ?? ''} ${preferred", broken: '`${preferred' },
  { ...door, text: "${preferredEncoding(headers['accept-encoding'] ?? '')} ", broken: '' },
  { ...door, text: 'withoutBody(found.headers)).end', broken: 'found.headers).end' },
  { ...door, text: 'response.writeHead(page.status, ', broken: 'response.writeHead(200, ' },
  { ...door, text: 'if (answered === 0) setTimeout', broken: 'setTimeout' },
  { ...door, text: "if (c.res.headers.has('set-cookie')) return", broken: '' },

  { ...origin, text: '127(?:\\.\\d{1,3}){3}|\\[::1\\])$/', broken: '127(?:\\.\\d{1,3}){3}|\\[::1\\])/' },
  { ...origin, text: " || host === '::1'", broken: '' },
  { ...origin, text: 'if (publicOrigin) return publicOrigin', broken: '' },
  {
    ...origin,
    text: 'isLoopback(asked.hostname) || !isLoopback(host)',
    broken: 'isLoopback(asked.hostname) || isLoopback(host)',
  },
  { ...origin, text: 'if (sender !== null) return', broken: 'if (sender) return' },
  { ...origin, text: "site === 'same-origin' ||", broken: "site.startsWith('same-') ||" },
  { ...origin, text: 'trustedProxies.includes(address) && said', broken: 'said' },
  { ...origin, text: 'plain(said.pop())', broken: 'plain(said.shift())' },
  { ...origin, text: 'isIP(bare) === 0 ? null : bare', broken: 'bare' },

  { ...pageCache, text: 'const LIMIT_BYTES = 8 * 1024 * 1024', broken: 'const LIMIT_BYTES = 64 * 1024 * 1024' },
  { ...pageCache, text: 'if (topics.length === 0) forgetAll()', broken: '' },
  { ...pageCache, text: 'last && !(saved && last.changes < changes)', broken: 'last' },
  { ...pageCache, ...failing, text: '(result && !result.keep ? last : result)', broken: 'result' },
  { ...pageCache, ...failing, text: 'silent ? last : whole', broken: 'whole' },
  { ...pageCache, ...failing, text: 'documentAsOf(page.text(), at)', broken: 'page.text()' },
  { ...ownSave, text: 'if (!maySitBeside) return next()', broken: '' },
  { ...ownSave, text: "live.hasTold(mark) ? 'told' : 'untold'", broken: "'told'" },
  { ...ownSave, text: "live.hasTold(mark) ? 'told' : 'untold'", broken: "'untold'" },
  { ...ownSave, text: '; HttpOnly', broken: '' },
  { ...pageCache, text: "if ('changed' in news) forgetAll()", broken: '' },
  { ...pageCache, text: 'if (!result?.keep) forget(address, entry)\n    else if', broken: 'if' },
  { ...pageCache, text: 'else if (pages.get(address) === entry) {', broken: 'else {' },
  { ...pageCache, text: 'if (now !== minute) forgetTheTime()', broken: '' },
  { ...pageCache, text: 'if (address !== lasting) forget', broken: 'if (lasting) forget', tests: feedTests },
  { ...pageCache, text: 'day === today ?', broken: 'true ?', tests: feedTests },
  { ...pageCache, text: 'day === today ?', broken: 'false ?', tests: feedTests },
  {
    file: 'app/days/month.ts',
    text: 'month !== wanted }',
    broken: 'false }',
    tests: ['app/calendar/calendar-page.test.ts'],
  },
  { ...pageCache, text: "if (method !== 'GET' && method !== 'HEAD') return null", broken: '' },
  { ...pageCache, text: "routeAt(pathname) === '*' ? `", broken: 'false ? `' },
  { ...pageCache, text: 'if (!shown.has(page)) return', broken: 'if (false) return' },
  { ...pageCache, text: 'if (readBy[page]?.some((name) => searchParams.has(name))) return null', broken: '' },
  { ...pageCache, text: 'if (redirected) return null', broken: '' },
  { ...pageCache, text: '.filter((id) => asked.includes(id))', broken: '' },
  { ...pageCache, text: " && oldest.includes('?')", broken: '' },

  { ...compress, text: 'status === 200 && !once', broken: 'status < 500 && !once' },
  { ...compress, text: 'etag !== null && known', broken: 'known', tests: ['server/handlers/compress.test.ts'] },
  { ...compress, text: 'body.length < WORTH_COMPRESSING', broken: 'body.length <= WORTH_COMPRESSING' },
  { ...compress, text: '(?!;\\\\s*q=0(?:\\\\.0*)?(?:,|$))', broken: '' },
  { ...compress, text: '(?:,|$))`', broken: ')`' },
  { ...compress, text: "headers.set('vary', 'accept-encoding')", broken: '', tests: ['server/app.test.ts'] },
  {
    ...compress,
    text: "own.set('content-length', String(bytes.length))",
    broken: "own.set('content-length', String(body.length))",
    tests: ['server/app.test.ts'],
  },
  { ...compress, text: "request.method === 'HEAD' ? null : bytes", broken: 'bytes' },

  { ...forMachines, text: "  '/inbox',\n", broken: '' },
  { ...forMachines, text: "  '/verifyemail',\n", broken: '' },
  { ...forMachines, text: 'origin}/sitemap.xml`', broken: "''}/sitemap.xml`" },
  { ...forMachines, text: "    '/access',\n", broken: '' },
  { ...forMachines, text: "start_url: '/'", broken: "start_url: '/login'" },

  { ...feed, text: "state.state === 'unknown' ? [] : ", broken: '' },
  {
    ...feed,
    text: 'endTime <= startTime ? addDays(day, 1) : day',
    broken: 'endTime >= startTime ? addDays(day, 1) : day',
  },
  { ...feed, text: 'endTime <= startTime ? addDays(day, 1) : day', broken: 'day' },
  { ...feed, text: 'readDays(db, first, DAYS_BACK + DAYS_AHEAD)', broken: 'readDays(db, first, DAYS_AHEAD)' },
  { ...feed, text: "'cache-control': 'no-cache',", broken: '' },
  { ...calendarText, text: 'const MOST_OCTETS = 75', broken: 'const MOST_OCTETS = 76' },
  { ...calendarText, text: 'octets = 1', broken: 'octets = 0' },
  { ...calendarText, text: 'more === 4 ? 2 : 1', broken: '1' },
  { ...calendarText, text: ".replace(/(?!\\t)\\p{Cc}/gu, '')", broken: '' },
  { ...calendarText, text: '/[\\\\;,]/g', broken: '/[;,]/g' },
  { ...identity, text: 'new URL(publicOrigin).host', broken: 'publicOrigin' },
  {
    ...identity,
    text: '(await kept(db))?.name ?? name',
    broken: 'name',
  },

  ...importing(
    'server/import/import.ts',
    ['if (dryRun) throw new DryRun()', ''],
    ['await inTransaction(db, work)', 'await work(db as never)'],
    [
      'for (const document of fresh) await keep(trx, document, at)',
      'for (const document of gave) await keep(trx, document, at)',
    ],
    ['return JSON.stringify([collection, id])', 'return id'],
  ),
  ...importing(
    'server/import/import-pictures.ts',
    ["document.collection === 'home' ? 'screen' : 'card'", "'card'"],
    ["if (file && boxes.get(file) !== 'screen')", 'if (file)'],
  ),
  ...importing(
    'server/import/import-documents.ts',
    ['!group.slice(0, place).some(', '![].some('],
    ['newestFirst(different)', 'different'],
    ['found.notKept += others.length', ''],
    ['JSON.stringify([collection, id])', 'id'],
  ),
  ...importing(
    'server/import/import-reading.ts',
    ['updatedAt: updatedAt ?? made', 'updatedAt: made'],
    ['updatedAt: updatedAt ?? made', 'updatedAt: updatedAt ?? at'],
  ),
  ...importing(
    'server/import/import-cards.ts',
    ['id: isId ? item.id :', 'id: isId ? id :'],
    ["other: textOf(item, 'other', note),", ''],
    ['if (usable && !taken) return wanted', 'if (!taken) return wanted'],
    ['if (usable && !taken) return wanted', 'if (usable) return wanted'],
    ["draft: flagOf(item, 'draft', note)", 'draft: false'],
    ["price: numberOf(item, 'price', note)", 'price: null'],
  ),
  ...importing(
    'server/import/import-members.ts',
    ['if (await isFree(author)) return author', 'return author'],
    ['if (await isFree(author)) return author', 'return null'],
    ["birthday: textOf(fields, 'birthday', note) || null", 'birthday: null'],
    ["if (await trx.selectFrom('members').select('id').where('id', '=', id).executeTakeFirst())", 'if (false)'],
  ),
  ...importing(
    'server/import/import-events.ts',
    ['timesOf(mine, around, at)', 'timesOf({}, {}, at)'],
    ['return added ? 1 : 0', 'return 1'],
  ),
  ...importing(
    'server/import/import-hours.ts',
    ['const { version } = await readWeek(trx)', 'const version = 0'],
    ["if (saved.outcome === 'saved') return true", 'if (saved.outcome) return true'],
    ['const reason = beginningOf(whole, MOST_REASON)', 'const reason = whole'],
    ['(entries ?? []).toReversed()', '(entries ?? [])'],
    ["if (saved.outcome === 'saved') {", 'if (saved) {'],
  ),
  {
    ...exporting,
    text: "db.selectFrom('members').selectAll().where('deletedAt', 'is', null)",
    broken: "db.selectFrom('members').selectAll()",
  },
  {
    ...exporting,
    text: "db.selectFrom('cards').selectAll().where('deletedAt', 'is', null)",
    broken: "db.selectFrom('cards').selectAll()",
  },
  {
    ...exporting,
    text: "db.selectFrom('events').selectAll().where('deletedAt', 'is', null)",
    broken: "db.selectFrom('events').selectAll()",
  },
  { ...exporting, text: '\\n`, { mode: 0o600 })', broken: '\\n`)' },
  { ...exporting, text: 'file.bytes, { mode: 0o600 })', broken: 'file.bytes)' },
  { ...exporting, text: "orderBy('width', 'desc')", broken: "orderBy('width')" },

  {
    ...collections,
    file: 'server/collections/collections-of-cards.ts',
    text: 'item?.collection === name && (!item.draft || (await mayEdit(context)))',
    broken: 'item && (!item.draft || (await mayEdit(context)))',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-cards.ts',
    text: "if (!(await itemOf(context, seen.id))) return { outcome: 'missing' }",
    broken: '',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-cards.ts',
    text: "outcome === 'conflict' ? 'newer' : 'missing'",
    broken: "'missing'",
  },
  {
    ...collections,
    file: 'server/collections/collections-of-cards.ts',
    text: 'const item = await itemOf(context, seen.id)\n',
    broken: 'const item = await readCard(context.get(dbKey), seen.id)\n',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: "typeof given.id === 'string' && UUID.test(given.id)",
    broken: "typeof given.id === 'string'",
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: 'await saveEvent(context.get(dbKey), seen, read.data',
    broken: 'await saveEvent(context.get(dbKey), { ...seen, version: event.version }, read.data',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: 'saveWeek(context.get(dbKey), read.data, { version: 0 }',
    broken: 'saveWeek(context.get(dbKey), read.data, await readWeek(context.get(dbKey))',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: 'saveWeek(context.get(dbKey), read.data, { version }',
    broken: 'saveWeek(context.get(dbKey), read.data, await readWeek(context.get(dbKey))',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: "if (id !== 'week' || !schedule) return",
    broken: 'if (!schedule) return',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: "if (id !== 'week') return { outcome: 'missing' }",
    broken: '',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: 'new Map(version === undefined ? [] : [[day, version]])',
    broken: 'new Map([[day, version ?? 1]])',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-calendar.ts',
    text: 'removeSpecialDay(context.get(dbKey), { day: id, version }',
    broken: 'removeSpecialDay(context.get(dbKey), { day: id, version: version + 1 }',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-members.ts',
    text: "deed === 'remove' ? mayManageMembers(visitor) : mayEditMember(visitor, id)",
    broken: 'mayEditMember(visitor, id)',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-members.ts',
    text: 'approved: given.admin === true',
    broken: 'approved: Boolean(given.admin)',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-members.ts',
    text: 'ownerEmail: context.get(ownerEmailKey)',
    broken: 'ownerEmail: undefined',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-members.ts',
    text: 'addressMustBeProven: context.get(mailerKey).verifies',
    broken: 'addressMustBeProven: false',
  },
  {
    file: 'server/collections/collections-of-members.ts',
    text: 'const flags = mayManageMembers(visitor) ? {',
    broken: 'const flags = visitor ? {',
    equal: 'editMember asks the same of whoever edits, and leaves the flags of the others as they are',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-members.ts',
    text: 'endSessions: (accountId) => context.get(accountsKey).endSessions(accountId)',
    broken: 'endSessions: async () => {}',
  },
  {
    ...collections,
    file: 'server/collections/collections-of-members.ts',
    text: '...(mayEditMember(visitor, row.id) && {',
    broken: '...(visitor && {',
  },
  {
    ...collections,
    file: 'server/collections/collections.ts',
    text: 'if (!isVersion(given.version)) return newer(c, id, words.noVersion)',
    broken: 'if (given.version === undefined) return newer(c, id, words.noVersion)',
  },
  {
    ...collections,
    file: 'server/collections/collections.ts',
    text: 'context.get(visitorKey) ? 403 : 401',
    broken: '403',
  },

  {
    file: 'app/members/member-editing.server.ts',
    text: 'flags && flags[flag] !== (base[flag] === 1)',
    broken: 'flags',
    tests: ['app/members/registration.server.test.ts'],
  },
  {
    file: 'app/members/member-editing.server.ts',
    text: 'flags && flags[flag] !== (base[flag] === 1)',
    broken: 'flags && flags[flag] !== (before[flag] === 1)',
    tests: ['app/members/registration.server.test.ts'],
  },

  { ...backups, text: 'return since < now - (inJapan % DAY)', broken: 'return since <= now - (inJapan % DAY)' },
  { ...backups, text: '[4, weekOf]', broken: '[5, weekOf]' },
  { ...backups, text: '.filter(({ night }) => night)', broken: '' },
  { ...backups, text: 'if (now - (await stat(path)).mtimeMs > DAY)', broken: 'if (true)' },
  { ...backups, text: 'if (isDue(last?.at ?? begunAt, clock())) await', broken: 'await' },
  { ...backups, text: 'afterFailure: HOUR,', broken: '' },
  { ...repeating, text: 'stopping.abort()', broken: 'await running' },
  { ...repeating, text: 'if (!cutShort) failed', broken: 'failed' },
  { ...repeating, text: 'await running\n', broken: '', tests: ['app/days/holidays.server.test.ts'] },
  { ...backups, text: 'code === 0 ? resolve()', broken: 'true ? resolve()' },
  { ...backups, text: "'backup.ts'), asked]", broken: "'backup.ts')]" },
  { ...backups, text: "said.join('\\n') || ", broken: '' },
  {
    ...backups,
    file: 'server/open-site.ts',
    text: 'await makeBackup(db, file,',
    broken: 'void (db, file,',
  },

  { ...secret, text: "if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error", broken: '' },
  { ...secret, text: 'rmSync(made, { force: true })', broken: '' },
  { ...secret, text: 'mode: 0o600', broken: 'mode: 0o644' },
  { ...secret, text: 'mode: 0o700', broken: 'mode: 0o755' },
  { ...secret, text: 'randomBytes(32)', broken: 'randomBytes(8)' },
  { ...secret, text: 'if (!secret) throw', broken: 'if (secret === null) throw' },

  { ...sampleShop, text: 'if (!first || !wanted) return', broken: 'if (!wanted) return' },
  { ...sampleShop, text: 'if (!first || !wanted) return', broken: 'if (!first) return' },
  { ...sampleShop, text: ".onConflict((already) => already.column('name').doNothing())", broken: '' },
  { ...sampleShop, text: '(13 - weekdayOf(today)) % 7', broken: '(12 - weekdayOf(today)) % 7' },
  { ...sampleShop, text: 'order: index + 1', broken: 'order: -index' },

  { ...fonts, text: 'if (own.get(text) === font) own.set(text, null)', broken: '' },
  { ...fonts, text: 'if (others.get(text) === font) others.delete(text)', broken: '' },
  { ...fonts, text: 'if (own.has(text)) return keep(', broken: 'if (own.get(text)) return keep(' },
  { ...fonts, text: 'return font && keep(others, text, font, MOST_OTHERS)', broken: 'return null' },
  { ...fonts, text: 'const MOST_OTHERS = 200', broken: 'const MOST_OTHERS = 199' },
  { ...fonts, text: 'const MOST_OTHERS = 200', broken: 'const MOST_OTHERS = 201' },
  { ...fonts, text: 'characters.length > MOST_CHARACTERS', broken: 'characters.length >= MOST_CHARACTERS' },
  { ...fonts, text: 'waiting >= MOST_WAITING', broken: 'waiting > MOST_WAITING' },
  { ...fonts, text: '        waiting -= 1\n', broken: '' },
  { ...fonts, text: '!getsEveryFont(await visitor()) && ', broken: '' },
  {
    ...fonts,
    text: "countAttempt(db, 'font', { address, now",
    broken: "countAttempt(db, 'font', { address: null, now",
  },
  { ...fonts, file: 'server/handlers/fonts.ts', text: "font === 'too often' ? 429 : 503", broken: '503' },
  { ...pages, tests: fonts.tests, text: 'fonts.name(font.characters)', broken: '' },
  {
    ...fonts,
    file: 'server/handlers/fonts.ts',
    text: "log.error({ err: error }, 'heading font not made')",
    broken: '',
  },

  { ...fontMaker, text: 'Math.max(0, urgent)', broken: '0' },
  { ...fontMaker, text: 'if (working) return', broken: '' },
  { ...fontMaker, text: '    working = false\n', broken: '' },
  { ...fontMaker, text: '    clearTimeout(idle)\n', broken: '' },
  { ...fontMaker, text: 'const IDLE_MS = 30_000', broken: 'const IDLE_MS = 31_000' },
  { ...fontMaker, text: 'idle = setTimeout(end, IDLE_MS).unref()', broken: '' },
] satisfies Mutant[]
