import type { Mutant } from '../scripts/mutants.ts'

const pageTests = ['app/backups/backup-page.test.ts']
const page = { file: 'app/backups/backup-page.tsx', tests: pageTests }
const state = { file: 'app/backups/backup-state.server.ts', tests: pageTests }
const giving = { file: 'server/handlers/backup.ts', tests: pageTests }
const fresh = { file: 'server/fresh-backup.ts', tests: pageTests }
const permits = { file: 'app/accounts/permit.server.ts', tests: pageTests }
const kept = { file: 'app/backups/copies.server.ts', tests: pageTests }
const copies = { file: 'server/backup-copies.ts', tests: ['server/backup-copies.test.ts'] }
const script = { file: 'scripts/backup.ts', tests: ['server/backup-copies.test.ts'] }
const doctor = { file: 'server/doctor.ts', tests: ['server/doctor.test.ts'] }
const settings = { file: 'server/settings.ts', tests: ['server/settings.test.ts'] }
const google = { tests: ['app/sign-in/google.test.ts'] }

export default [
  // Who is given a backup, and what of it counts.
  { ...page, text: 'if (!mayTakeBackups(visitor)) return refused', broken: 'if (!visitor) return refused' },
  { ...page, text: 'if (refusal) return answer(...refusal)', broken: '' },
  { ...page, text: 'signedIn.begunAt < FRESH_MS', broken: 'signedIn.begunAt <= FRESH_MS' },
  { ...page, text: "if (wanted === 'sign-in') return", broken: "if (wanted === 'none') return" },
  { ...page, text: '  if (!signedIn || (await passwordHashOf', broken: '  if (signedIn && (await passwordHashOf' },
  { ...giving, text: 'if (!session || !isPermitted) return', broken: 'if (!session) return' },
  { ...giving, text: '    if (refusal) return refusal\n', broken: '' },
  { ...giving, text: "if (c.req.method === 'HEAD') return", broken: 'if (false) return', tests: ['app/doors.test.ts'] },
  { ...giving, text: 'asking, asking.again(c))', broken: 'asking, asking.again(c)).then(() => null)' },
  { ...giving, text: "c.env.outgoing?.once('finish', ", broken: "c.env.outgoing?.once('pipe', " },
  { ...giving, text: "c.env.outgoing?.once('finish', ", broken: "c.env.outgoing?.once('close', " },
  { ...giving, text: 'if (now.who !== who) return null', broken: '' },
  { ...giving, text: '      now.cut.abort()\n', broken: '' },
  { ...giving, text: 'AbortSignal.any([signal, cut.signal])', broken: 'cut.signal' },
  { ...giving, text: 'if (taking.signal.aborted) return c.body', broken: 'if (false) return c.body' },
  { ...giving, text: "createReadStream().once('close', taking.end)", broken: 'createReadStream()' },
  { ...fresh, text: 'await rm(folder, { recursive: true, force: true })', broken: '' },
  {
    ...permits,
    text: 'if (Number(until) <= clock()) return false',
    broken: 'if (Number(until) < clock()) return false',
  },
  { ...permits, text: '[purpose, until, id, hash]', broken: '[purpose, until, hash]' },
  { ...permits, text: 'return timingSafeEqual(', broken: 'return true || timingSafeEqual(' },
  { ...google, file: 'app/sign-in/google-start.ts', text: "return '?for=backup'", broken: "return ''" },
  {
    ...google,
    file: 'app/sign-in/google-finished-page.tsx',
    text: "wanted ?? '/login', problem",
    broken: "'/login', problem",
  },

  // What is told of it.
  { ...kept, text: '(left ? Date.parse(left.madeAt) : begunAt) > MONTH_MS', broken: 'begunAt > MONTH_MS' },
  { ...kept, text: ' > MONTH_MS', broken: ' >= MONTH_MS' },
  { ...kept, text: "orderBy('madeAt', 'desc')", broken: "orderBy('madeAt')" },
  { ...kept, text: 'doUpdateSet(known)', broken: 'doNothing()' },
  { ...state, text: 'context.get(hasCopyFolderKey)\n', broken: 'folder\n' },

  // The second folder.
  { ...copies, text: 'if (!(await isElsewhere(folders)))', broken: 'if (false)' },
  { ...copies, text: ' || isOf(site, join(copyFolder, night.name))', broken: '' },
  { ...copies, text: 'here.some((each) => isSame(each, night)) || isOf', broken: 'true || isOf' },
  { ...copies, text: '.filter(({ name }) => !gone.has(name)).reverse()', broken: '.reverse()' },
  { ...copies, text: 'if (night === here.at(-1)) await has(night.at)', broken: 'await has(night.at)' },
  { ...copies, text: 'if (!there.some((copy) => isSame(copy, night))) await', broken: 'await' },
  { ...copies, text: 'one.name === other.name && one.size === other.size', broken: 'one.name === other.name' },
  { ...copies, text: 'if (taken && !(await isOf(site, to)))', broken: 'if (false)' },
  { ...copies, text: 'await openBackup(part, progress)', broken: '{ size }' },
  { ...copies, text: "{ flags: 'wx', mode: 0o600, flush: true }", broken: "{ flags: 'wx', flush: true }" },
  { ...copies, text: '.mtimeMs > DAY && (await isOf(site, path))', broken: '.mtimeMs > DAY' },
  { ...copies, text: '.mtimeMs > DAY && (await isOf(site, path))', broken: '.mtimeMs > 0 && (await isOf(site, path))' },
  { ...copies, text: '    if (last === done) return\n', broken: '' },
  { ...copies, text: 'if (said !== last) log', broken: 'log' },
  { ...copies, text: 'afterFailure: HOUR,', broken: '' },
  { ...script, text: 'if (error instanceof NotCopied) await noteTrouble(db, error.message)', broken: '' },
  { ...script, text: '!(await isElsewhere({ dataFolder, copyFolder: dirname(file) }))', broken: 'false' },
  { ...copies, text: 'a.checkedAt - b.checkedAt', broken: 'b.checkedAt - a.checkedAt' },
  { ...copies, text: 'now - oldest.checkedAt < CHECKED_AFTER', broken: 'false' },
  { ...copies, text: 'if (original) await openBackup', broken: 'if (false) await openBackup' },
  { ...copies, text: 'if (original) await copyWhole(original, copying)', broken: '' },
  { ...doctor, text: 'if (rotten.length > 0)', broken: 'if (false)' },
  { ...doctor, text: 'night && now - at > COPIED_WITHIN', broken: 'night' },
  { ...doctor, text: 'if (opened?.size === size) return []', broken: 'if (opened) return []' },
  { ...doctor, text: 'if (!existsSync(copy))', broken: 'if (false)' },
  { ...settings, text: "!way.startsWith('..') && !isAbsolute(way)", broken: "way === ''" },
] satisfies Mutant[]
