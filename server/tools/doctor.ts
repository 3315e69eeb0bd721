import { existsSync, readdirSync, statSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { type Kysely, sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { smtpClientName } from '../../app/mail/mailer.server.ts'
import { recipientEmails } from '../../app/mail/recipients.server.ts'
import { isCopyOverdue, readCopies } from '../../app/owner/copies.server.ts'
import { shortageSentence } from '../../app/settings/disk-space.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { openBackup, readHeader } from '../../db/backup-file.ts'
import { isPostgres } from '../../db/engine.ts'
import { appliedMigrations, connect, migrationNames, newerThanProgram } from '../../db/open.ts'
import { checkServing } from '../../db/postgres.ts'
import { onSnapshot, tableChecksums } from '../../db/rows.ts'
import type { Tables } from '../../db/tables.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { spaceOf } from '../disk-space.ts'
import { errorSentence } from '../error-sentence.ts'
import { placeOf } from '../open-site.ts'
import { isLoopback } from '../origin.ts'
import { readSecret, secretFile } from '../secret.ts'
import { readSettings, type Settings } from '../settings.ts'
import { faultOfCopyFolder, inTime, oldestCheck, rottenIn } from '../tasks/backup-copies.ts'
import { backupFolder, listBackups } from '../tasks/backups.ts'

/** Checked area with its faults, Japanese sentences that include a remedy; `note` is additional information. */
export type Finding = { of: string; faults: string[]; note?: string }

type Environment = Record<string, string | undefined>
type Machine = { now: number; freeBytes: (folder: string) => Promise<number> }

/** A site to check. `known` is what the check of the database has read, for the checks after it. */
type Site = { settings: Settings; given: Environment; now: number; freeBytes: Machine['freeBytes']; known: Known }

type Known = {
  begunAt: number | null
  latest: number | null
  /** Number of e-mails that could not be sent. */
  waiting: number
  readers: string[] | null
  left: { madeAt: string } | null
}

/** Returns the faults, if any, and a note. An error that a check throws is a fault too. */
type Check = (site: Site) => Promise<Found>
type Found = string | null | { faults?: string[]; note?: string | null }

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const PATIENCE_MS = 10_000

const checks: [of: string, check: Check][] = [
  ['設定', checkSettings],
  ['版', checkVersion],
  ['データの置き場所', checkFolder],
  ['ディスクの空き', checkSpace],
  ['データベース', checkDatabase],
  ['控え', checkBackups],
  ['サーバー外の控え', checkCopies],
  ['時計', checkClock],
  ['メール', checkMail],
  ['公開するアドレス', checkAddress],
]

/** Checks the site of this environment without changing it. Invalid settings end the check. */
export async function examine(given: Environment, { now, freeBytes }: Machine): Promise<Finding[]> {
  let settings: Settings
  try {
    settings = readSettings(given)
  } catch (error) {
    const faults = (error as Error).message.split('\n').map((line) => `${line}（.env をお直しください）`)
    return [{ of: '設定', faults }]
  }
  const known = { begunAt: null, latest: null, waiting: 0, readers: null, left: null }
  const site = { settings, given, now, freeBytes, known }
  const findings: Finding[] = []
  for (const [of, check] of checks) {
    const found = (await check(site).catch(errorSentence)) ?? {}
    const { faults = [], note = null } = typeof found === 'string' ? { faults: [found] } : found
    findings.push({ of, faults: faults.map(plain), ...(note && { note }) })
  }
  return findings
}

// Faults have no full stop, but sentences from other modules do.
const plain = (sentence: string) => sentence.replace(/。$/, '')

async function checkSettings({ settings, given }: Site) {
  const faults: string[] = []
  const { publicOrigin, host, trustedProxies, smtpUrl, passwords } = settings
  if (publicOrigin?.startsWith('http:') && !isLoopback(new URL(publicOrigin).hostname))
    faults.push('設定 PUBLIC_ORIGIN が http:// です。パスワードが守られません。プロキシで https:// にしてください')
  if (publicOrigin?.startsWith('https:') && trustedProxies.length === 0)
    faults.push(
      '設定 TRUSTED_PROXY がありません。すべてのお客さまを同じ一人として数えてしまいます。プロキシのIPアドレス（同じサーバーなら 127.0.0.1）を書いてください',
    )
  if (!publicOrigin && !isLoopback(host))
    faults.push('設定 HOST で外部に公開していますが、PUBLIC_ORIGIN がありません。公開するアドレスを書いてください')
  if (passwords.min > passwords.max)
    faults.push('設定 PASSWORD_MIN が PASSWORD_MAX より大きく、だれも登録できません。PASSWORD_MAX 以下にしてください')
  if (smtpUrl && !given.MAIL_FROM)
    faults.push('設定 MAIL_FROM がありません。差出人として届くメールアドレスを書いてください')
  return { faults }
}

async function checkVersion() {
  const least = packageJson.engines.node.replace('>=', '')
  if (process.versions.node.localeCompare(least, 'en', { numeric: true }) >= 0) return null
  return `Node.js が ${process.versions.node} です。npm run doctor のように npm から動かし、${least} 以上にしてください`
}

async function checkFolder({ settings: { dataFolder } }: Site) {
  const backups = backupFolder(dataFolder)
  try {
    for (const folder of existsSync(backups) ? [dataFolder, backups] : [dataFolder])
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return `${plain(errorSentence(error))}（設定 DATA_DIR と、フォルダーの所有者を確認してください）`
  }
  const isWindows = process.platform === 'win32'
  const secret = secretFile(dataFolder)
  const faults: string[] = []
  try {
    if (existsSync(secret)) readSecret(secret)
    if (!isWindows && existsSync(secret) && ((await stat(secret)).mode & 0o077) !== 0)
      faults.push(`ほかのユーザーが ${secret} を読めます。chmod 600 ${secret} としてください`)
  } catch (error) {
    faults.push(errorSentence(error))
  }
  const open = isWindows ? [] : openToOthers(dataFolder).sort()
  const names = `${open.slice(0, 3).join('、')}${open.length > 3 ? `など${open.length}個のファイル` : ''}`
  if (open.length > 0) faults.push(`ほかのユーザーが ${names} を読めます。chmod -R go= ${dataFolder} としてください`)
  return { faults }
}

// The secret has its own check, and the lock file is empty.
const UNREAD = ['secret', 'serving.lock']

function openToOthers(folder: string, within = ''): string[] {
  const path = join(folder, within)
  const mode = (name: string) => statSync(name, { throwIfNoEntry: false })?.mode ?? 0
  if (!(mode(path) & 0o011)) return []
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = join(within, entry.name)
    if (entry.isDirectory()) return openToOthers(folder, name)
    return mode(join(folder, name)) & 0o044 && !UNREAD.includes(name) ? [name] : []
  })
}

async function checkSpace({ settings, freeBytes }: Site) {
  return existsSync(settings.dataFolder) ? shortageSentence(await spaceOf(settings, freeBytes)) : null
}

async function checkDatabase(site: Site) {
  const place = placeOf(site.settings)
  if (!place.url && !existsSync(place.file))
    return `データベースがありません（${place.file}）。npm start で起動するか、npm run restore で控えから戻してください`
  if (place.url) await checkServing(place.url)
  const db = await connect(place)
  try {
    const applied = await appliedMigrations(db)
    const newer = applied.find((name) => !migrationNames.includes(name))
    if (newer) return newerThanProgram(newer)
    const fault = isPostgres(db) ? null : await faultOfSqlite(db)
    if (fault) return fault
    if (applied.length < migrationNames.length) return { note: 'データの形式は、次回起動時に新しい版に更新します' }
    // Reads every row, so that unreadable data is found before it is needed.
    await onSnapshot(db, tableChecksums)
    site.known = await readKnown(db, site.settings)
    return null
  } finally {
    await db.destroy()
  }
}

async function readKnown(db: Kysely<Tables>, { ownerEmail }: Settings): Promise<Known> {
  const marks = await db
    .selectFrom('marks')
    .select(({ fn }) => [fn.min('at').as('begunAt'), fn.max('at').as('latest')])
    .executeTakeFirst()
  const { latest } = await db
    .selectFrom('revisions')
    .select(({ fn }) => fn.max('at').as('latest'))
    .executeTakeFirstOrThrow()
  const { waiting } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('state', '=', 'waiting')
    .where('trouble', 'is not', null)
    .executeTakeFirstOrThrow()
  const readers = await recipientEmails(db, 'shop', { ...(await readSite(db)), ownerEmail })
  const { left } = await readCopies(db)
  const instant = (at: string | null | undefined) => (at ? Date.parse(at) : null)
  return { begunAt: instant(marks?.begunAt), latest: instant(latest ?? marks?.latest), waiting, readers, left }
}

async function faultOfSqlite(db: Kysely<Tables>) {
  const remedy = '壊れたファイルは別の場所に移し、npm run restore で控えから戻してください'
  const whole = await sql<{ integrity_check: string }>`pragma integrity_check(3)`.execute(db)
  const said = whole.rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  if (said.length > 0) return `データベースのファイルが壊れています（${said[0]}）。${remedy}`
  const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db)
  return rows.length > 0 ? `データベースの参照関係が壊れています（${rows[0]?.table}）。${remedy}` : null
}

const OLD_AFTER = 36 * HOUR

async function checkBackups({ settings: { dataFolder }, known: { begunAt }, now }: Site) {
  const last = (await listBackups(dataFolder).catch(() => [])).at(-1)
  const remedy = 'npm run backup を試し、表示される案内に従ってください。サイトが夜も動いているかも確認してください'
  if (!last) return begunAt !== null && now - begunAt > OLD_AFTER ? `控えがまだ一つもありません。${remedy}` : null
  if (now - last.at > OLD_AFTER)
    return `いちばん新しい控えが${Math.floor((now - last.at) / DAY)}日前のものです。${remedy}`
  const whole = await openBackup(join(backupFolder(dataFolder), last.name)).catch(() => null)
  if (whole) return null
  return `いちばん新しい控え（${last.name}）が壊れています。ディスクの故障の可能性があります。npm run backup で別の場所に作り直してください`
}

const dayFormat = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeZone: 'Asia/Tokyo' })

async function checkCopies({ settings, known: { left, begunAt }, now }: Site) {
  const fault = await faultOfCopies(settings, now)
  const faults = fault ? [fault] : []
  const remedy =
    '「本日の営業」の画面から控えをダウンロードしてください（設定 BACKUP_COPY_DIR を書くと、毎晩自動でコピーします）'
  const isOld = begunAt !== null && isCopyOverdue(left, { begunAt, now })
  if (isOld && !left) faults.push(`サーバー外に控えを置いた記録がありません。${remedy}`)
  if (!left) return { faults }
  const madeAt = Date.parse(left.madeAt)
  if (isOld) faults.push(`サーバー外に置いた控えが${Math.floor((now - madeAt) / DAY)}日前のものです。${remedy}`)
  return { faults, note: `${dayFormat.format(madeAt)}のものまで${await checkedSince(settings)}` }
}

async function checkedSince({ dataFolder, backupCopyFolder: copyFolder }: Settings) {
  const last = (await listBackups(dataFolder).catch(() => [])).at(-1)
  if (!copyFolder || !last) return ''
  const oldest = await inTime(copyFolder, PATIENCE_MS, async () => {
    const { header } = await readHeader(join(backupFolder(dataFolder), last.name))
    return oldestCheck({ dataFolder, copyFolder }, header.site)
  }).catch(() => null)
  return oldest === null ? '' : `。どの控えも${dayFormat.format(oldest)}以降に確認しました`
}

// The site copies a backup within minutes; a large one takes longer.
const COPIED_WITHIN = HOUR / 2

async function faultOfCopies({ dataFolder, backupCopyFolder: copyFolder }: Settings, now: number) {
  if (!copyFolder) return null
  const named = `控えの二つ目の場所（${copyFolder}）`
  const look = async (progress: () => void) => {
    const fault = await faultOfCopyFolder({ dataFolder, copyFolder })
    if (fault) return fault
    const rotten = await rottenIn(copyFolder)
    if (rotten.length > 0)
      return `${named}に、壊れた控え（${rotten.join('、')}）があります。故障の可能性があります。別のUSBメモリーなどに替えるか、その控えを消してください`
    const backups = await listBackups(dataFolder)
    const last = backups.findLast(({ night, at }) => night && now - at > COPIED_WITHIN)
    if (!last) return null
    const copy = join(copyFolder, last.name)
    if (!existsSync(copy))
      return `${named}に、いちばん新しい夜の控え（${last.name}）がありません。npm run backup -- --copy を試し、表示される案内に従ってください`
    const { size } = await stat(join(backupFolder(dataFolder), last.name))
    const opened = await openBackup(copy, progress).catch(() => null)
    if (opened?.size === size) return null
    return `${named}の控え（${last.name}）が壊れています。故障の可能性があります。別のUSBメモリーなどに替えてください`
  }
  return inTime(copyFolder, PATIENCE_MS, look).catch(errorSentence)
}

const PROGRAM_IS_FROM = Date.parse('2026-11-01')
const MAX_OFF = 2 * 60 * 1000

async function checkClock({ settings: { holidaysUrl }, known: { latest }, now }: Site) {
  const remedy = 'サーバーの時計を合わせてください（Debianなら timedatectl set-ntp true）'
  if (now < PROGRAM_IS_FROM) return `サーバーの時計が ${new Date(now).getFullYear()} 年を指しています。${remedy}`
  if (latest !== null && latest - now > MAX_OFF)
    return `サーバーの時計が、データに残る最後の時刻より遅れています。${remedy}`
  if (!holidaysUrl) return { note: '比較先（HOLIDAYS_URL）がないため、合っているかは確認していません' }
  try {
    const asked = performance.now()
    const response = await fetch(holidaysUrl, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS) })
    const said = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(said)) throw new Error('no date')
    const off = Math.abs(now + (performance.now() - asked) - said)
    return off > MAX_OFF ? `サーバーの時計が、外部の時計と${Math.round(off / 60_000)}分ずれています。${remedy}` : null
  } catch {
    return { note: '外部の時計（HOLIDAYS_URL）につながらず、合っているかは確認していません' }
  }
}

async function checkMail({ settings, known: { waiting, readers } }: Site) {
  if (!settings.smtpUrl) return null
  const fault = await faultOfMail(settings, settings.smtpUrl, waiting)
  const none = 'お問い合わせを受け取る方が決まっていません。「お店の情報」で設定してください'
  const note = readers && (readers.length > 0 ? `お問い合わせは ${readers.join('、')} に届きます` : none)
  return { faults: fault ? [fault] : [], note }
}

async function faultOfMail(settings: Settings, url: string, waiting: number) {
  const timeouts = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS }
  const name = smtpClientName(settings)
  const transport = createTransport({ url, ...(name && { name }), ...timeouts })
  const { host } = new URL(url)
  try {
    await transport.verify()
    if (waiting === 0) return null
    return `送信できていないメールが${waiting}通あります。受信箱（/inbox）に原因が表示されています。解消すれば、自動で送信します`
  } catch (error) {
    const { code, responseCode, message } = error as { code?: string; responseCode?: number; message: string }
    if (code === 'EAUTH')
      return `メールサーバー ${host} が、ユーザー名とパスワードを受け付けません（${responseCode ?? code}）。設定 SMTP_URL の user:password をお直しください`
    return `メールサーバー ${host} につながりません（${message}）。設定 SMTP_URL のアドレスとポート番号をご確認ください`
  } finally {
    transport.close()
  }
}

const RENEWED_BEFORE = 7 * DAY

async function checkAddress({ settings: { publicOrigin }, now }: Site) {
  if (!publicOrigin) return { note: '設定 PUBLIC_ORIGIN がないため、外からのアクセスは確認していません' }
  const url = new URL(publicOrigin)
  const fault = url.protocol === 'https:' ? await faultOfCertificate(url, now) : null
  if (fault) return fault
  let status: string | undefined
  try {
    const response = await fetch(`${publicOrigin}/api/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    status = ((await response.json()) as { status?: string }).status
  } catch {
    return `${publicOrigin} でこのサイトが応答しません。サイトとプロキシが動いているか、アドレスの行き先がこのサーバーかをご確認ください`
  }
  // If the full disk is on this machine, the disk check reports it.
  if (status === 'ok' || status === 'full') return checkRedirects(url)
  const cannot = status === 'unwritable' ? 'データを書き込めて' : 'データベースを読めて'
  return `${publicOrigin} は開きますが、サイトが${cannot}いません。ログ（journalctl -u noren）をご確認ください`
}

async function checkRedirects(url: URL) {
  const { origin, href } = url
  if ((await redirectFrom(href)) === href)
    return `${origin} のリダイレクトが繰り返されます。プロキシが、お客さまの開いたホスト名を X-Forwarded-Host で渡すようにしてください`
  const other = new URL(url)
  other.hostname = url.hostname.startsWith('www.') ? url.hostname.slice('www.'.length) : `www.${url.hostname}`
  const target = isIP(url.hostname) || url.hostname.startsWith('[') ? 'no name' : await redirectFrom(other.href)
  if (target === 'no name') return null
  return target?.startsWith(href)
    ? { note: `${other.origin} からも開けます` }
    : `${other.origin} を開いても ${origin} に移りません。プロキシ（Caddyfile）でこのホスト名もサイトに渡すか、DNSの設定を消してください`
}

async function redirectFrom(url: string) {
  try {
    const patience = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: patience })
    const location = response.headers.get('location')
    return location && URL.parse(location, url)?.href
  } catch (error) {
    const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
    return ['ENOTFOUND', 'EAI_AGAIN'].includes(code) ? 'no name' : null
  }
}

function faultOfCertificate({ hostname, port, origin }: URL, now: number) {
  const remedy = 'プロキシ（Caddy）が動いているか、ログにエラーが出ていないかをご確認ください'
  return new Promise<string | null>((resolve) => {
    const socket = connectTls({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      rejectUnauthorized: false,
    })
    const end = (fault: string | null) => {
      socket.destroy()
      resolve(fault)
    }
    socket.setTimeout(PATIENCE_MS, () => end(`${origin} が応答しません。${remedy}`))
    socket.once('error', ({ message }) => end(`${origin} に安全につながりません（${message}）。${remedy}`))
    socket.once('secureConnect', () => {
      const left = Date.parse(socket.getPeerCertificate().valid_to) - now
      if (left < 0) return end(`${origin} の証明書の期限が切れています。${remedy}`)
      if (!socket.authorized)
        return end(`${origin} の証明書をブラウザが信頼しません（${socket.authorizationError}）。${remedy}`)
      if (left < RENEWED_BEFORE) return end(`${origin} の証明書があと${Math.floor(left / DAY)}日で切れます。${remedy}`)
      end(null)
    })
  })
}
