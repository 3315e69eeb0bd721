import { existsSync, readdirSync, statSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { smtpClientName } from '../../app/mail/mailer.server.ts'
import { recipientEmails } from '../../app/mail/recipients.server.ts'
import { isCopyOverdue, isPlausible, readCopies } from '../../app/owner/copies.server.ts'
import { shortageSentence } from '../../app/settings/disk-space.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { openBackup, readHeader } from '../../db/backup-file.ts'
import { isPostgres } from '../../db/engine.ts'
import { appliedMigrations, connect, migrationNames, newerThanProgram } from '../../db/open.ts'
import { checkServing } from '../../db/postgres.ts'
import { onSnapshot, tableChecksums } from '../../db/rows.ts'
import type { Db } from '../../db/tables.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { isTrustedProxy } from '../client-ip.ts'
import { spaceOf } from '../disk-space.ts'
import { errorSentence } from '../error-sentence.ts'
import { databaseLocationOf } from '../open-site.ts'
import { isLoopback } from '../origin.ts'
import { readSecret, secretFile } from '../secret.ts'
import { readSettings, type Settings } from '../settings.ts'
import { faultOfCopyFolder, inTime, listDamagedCopies, oldestCheck } from '../tasks/backup-copies.ts'
import { backupFolder, DAY, HOUR, lastNight, listBackups, listNights } from '../tasks/backups.ts'
import { bucketLabel } from '../tasks/s3-bucket.ts'
import { inTimeOfBucket, listS3Copies } from '../tasks/s3-copies.ts'
import { readUntrustedProxy } from '../untrusted-proxies.ts'

/** Result of a check. Each fault is a Japanese sentence with a remedy. */
export type Finding = { of: string; faults: string[]; note?: string }

type Environment = Record<string, string | undefined>
type Machine = { now: number; freeBytes: (folder: string) => Promise<number> }

type Site = Machine & {
  settings: Settings
  environment: Environment
  /** Content of the database, or {} if the database cannot be read. */
  summary: Partial<Awaited<ReturnType<typeof readDatabaseSummary>>>
}

/** Check of a site. A thrown error counts as a fault. */
type Check = (site: Site) => Promise<CheckResult>
type CheckResult = string | null | { faults?: string[]; note?: string | null }

const CHECK_TIMEOUT_MS = 10_000

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
  ['プロキシ', checkProxy],
  ['公開するアドレス', checkAddress],
]

/** Runs all checks without changing anything. If the settings are invalid, returns only their faults. */
export async function examine(environment: Environment, { now, freeBytes }: Machine): Promise<Finding[]> {
  let settings: Settings
  try {
    settings = readSettings(environment)
  } catch (error) {
    const faults = (error as Error).message.split('\n').map((line) => `${line}（.env をお直しください）`)
    return [{ of: '設定', faults }]
  }
  const site: Site = { settings, environment, now, freeBytes, summary: {} }
  const findings: Finding[] = []
  for (const [of, check] of checks) {
    const result = (await check(site).catch(errorSentence)) ?? {}
    const { faults = [], note = null } = typeof result === 'string' ? { faults: [result] } : result
    findings.push({ of, faults: faults.map(withoutFullStop), ...(note && { note }) })
  }
  return findings
}

// Findings have no full stop at the end, but sentences from other modules do.
export const withoutFullStop = (sentence: string) => sentence.replace(/。$/, '')

async function checkSettings({ settings, environment }: Site) {
  const faults: string[] = []
  const { publicOrigin, host, trustedProxies, smtpUrl, passwords } = settings
  if (publicOrigin?.startsWith('http:') && !isLoopback(new URL(publicOrigin).hostname))
    faults.push('設定 PUBLIC_ORIGIN が http:// です。パスワードが守られません。プロキシで https:// にしてください')
  if (publicOrigin?.startsWith('https:') && trustedProxies.rules.length === 0)
    faults.push(
      '設定 TRUSTED_PROXY がありません。すべてのお客さまを同じ一人として数えてしまいます。プロキシのIPアドレス（同じサーバーなら 127.0.0.1）を書いてください',
    )
  if (!publicOrigin && !isLoopback(host))
    faults.push('設定 HOST で外部に公開していますが、PUBLIC_ORIGIN がありません。公開するアドレスを書いてください')
  if (passwords.min > passwords.max)
    faults.push('設定 PASSWORD_MIN が PASSWORD_MAX より大きく、だれも登録できません。PASSWORD_MAX 以下にしてください')
  if (smtpUrl && !environment.MAIL_FROM)
    faults.push('設定 MAIL_FROM がありません。差出人として届くメールアドレスを書いてください')
  return { faults }
}

async function checkVersion() {
  const minVersion = packageJson.engines.node.replace('>=', '')
  if (process.versions.node.localeCompare(minVersion, 'en', { numeric: true }) >= 0) return null
  return `Node.js が ${process.versions.node} です。npm run doctor のように npm から動かし、${minVersion} 以上にしてください`
}

async function checkFolder({ settings }: Site) {
  const { dataFolder } = settings
  const backups = backupFolder(dataFolder)
  try {
    for (const folder of existsSync(backups) ? [dataFolder, backups] : [dataFolder])
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return `${withoutFullStop(errorSentence(error))}（設定 DATA_DIR と、フォルダーの所有者を確認してください）`
  }
  const isWindows = process.platform === 'win32'
  const secret = secretFile(dataFolder)
  const faults: string[] = []
  try {
    if (!settings.secret && existsSync(secret)) readSecret(secret)
    if (!isWindows && existsSync(secret) && ((await stat(secret)).mode & 0o077) !== 0)
      faults.push(`ほかのユーザーが ${secret} を読めます。chmod 600 ${secret} としてください`)
  } catch (error) {
    faults.push(errorSentence(error))
  }
  const open = isWindows ? [] : listReadableByOthers(dataFolder).sort()
  const names = `${open.slice(0, 3).join('、')}${open.length > 3 ? `など${open.length}個のファイル` : ''}`
  if (open.length > 0) faults.push(`ほかのユーザーが ${names} を読めます。chmod -R go= ${dataFolder} としてください`)
  return { faults }
}

// The secret has its own check, and the lock file is empty.
const UNCHECKED_FILES = ['secret', 'serving.lock']

function listReadableByOthers(folder: string, subfolder = ''): string[] {
  const path = join(folder, subfolder)
  const mode = (name: string) => statSync(name, { throwIfNoEntry: false })?.mode ?? 0
  if (!(mode(path) & 0o011)) return []
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = join(subfolder, entry.name)
    if (entry.isDirectory()) return listReadableByOthers(folder, name)
    return mode(join(folder, name)) & 0o044 && !UNCHECKED_FILES.includes(name) ? [name] : []
  })
}

async function checkSpace({ settings, freeBytes }: Site) {
  return existsSync(settings.dataFolder) ? shortageSentence(await spaceOf(settings, freeBytes)) : null
}

async function checkDatabase(site: Site) {
  const place = databaseLocationOf(site.settings)
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
    // Reads every row, so that the doctor finds unreadable data before the site needs the data.
    await onSnapshot(db, tableChecksums)
    site.summary = await readDatabaseSummary(db, site)
    return null
  } finally {
    await db.destroy()
  }
}

async function readDatabaseSummary(db: Db, { settings: { ownerEmail }, now }: Site) {
  const firstAndLastMark = await db
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
    .where('channel', '=', 'mail')
    .where('state', '=', 'waiting')
    .where('trouble', 'is not', null)
    .executeTakeFirstOrThrow()
  const readers = await recipientEmails(db, 'shop', { ...(await readSite(db)), ownerEmail })
  const { left: latestCopy } = await readCopies(db, now)
  const toMilliseconds = (at: string | null | undefined) => (at ? Date.parse(at) : undefined)
  return {
    begunAt: toMilliseconds(firstAndLastMark?.begunAt),
    latest: toMilliseconds(latest ?? firstAndLastMark?.latest),
    /** Number of e-mails that could not be sent. */
    waiting,
    readers,
    latestCopy,
    untrustedProxy: await readUntrustedProxy(db),
  }
}

async function faultOfSqlite(db: Db) {
  const remedy = '壊れたファイルは別の場所に移し、npm run restore で控えから戻してください'
  const integrity = await sql<{ integrity_check: string }>`pragma integrity_check(3)`.execute(db)
  const messages = integrity.rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  if (messages.length > 0) return `データベースのファイルが壊れています（${messages[0]}）。${remedy}`
  const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db)
  return rows.length > 0 ? `データベースの参照関係が壊れています（${rows[0]?.table}）。${remedy}` : null
}

const MAX_BACKUP_AGE = 36 * HOUR

async function checkBackups({ settings: { dataFolder }, summary: { begunAt }, now }: Site) {
  const folder = backupFolder(dataFolder)
  const last = (await listBackups(folder).catch(() => [])).findLast(({ at }) => isPlausible(at, now))
  const remedy = 'npm run backup を試し、表示される案内に従ってください。サイトが夜も動いているかも確認してください'
  if (!last)
    return begunAt !== undefined && now - begunAt > MAX_BACKUP_AGE ? `控えがまだ一つもありません。${remedy}` : null
  if (now - last.at > MAX_BACKUP_AGE)
    return `いちばん新しい控えが${Math.floor((now - last.at) / DAY)}日前のものです。${remedy}`
  const integrity = await openBackup(join(folder, last.name)).catch(() => null)
  if (integrity) return null
  return `いちばん新しい控え（${last.name}）が壊れています。ディスクの故障の可能性があります。npm run backup で別の場所に作り直してください`
}

const dayFormat = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeZone: 'Asia/Tokyo' })

async function checkCopies({ settings, summary: { latestCopy = null, begunAt }, now }: Site) {
  const fault = await faultOfCopies(settings, now)
  const bucket = await checkBucket(settings, now)
  const faults = [fault, bucket.fault].filter((each) => typeof each === 'string')
  const remedy =
    '「本日の営業」の画面から控えをダウンロードしてください（設定 BACKUP_COPY_DIR か BACKUP_S3_BUCKET などを書くと、毎晩自動でコピーします）'
  const isOverdue = begunAt !== undefined && isCopyOverdue(latestCopy, { begunAt, now })
  if (isOverdue && !latestCopy) faults.push(`サーバー外に控えを置いた記録がありません。${remedy}`)
  if (!latestCopy) return { faults, note: bucket.note }
  const madeAt = Date.parse(latestCopy.madeAt)
  if (isOverdue) faults.push(`サーバー外に置いた控えが${Math.floor((now - madeAt) / DAY)}日前のものです。${remedy}`)
  const note = `${dayFormat.format(madeAt)}のものまで${await oldestCheckSentence(settings, now)}`
  return { faults, note: bucket.note ? `${note}。${bucket.note}` : note }
}

async function oldestCheckSentence({ dataFolder, backupCopyFolder: copyFolder }: Settings, now: number) {
  const last = await lastNight(dataFolder, now).catch(() => null)
  if (!copyFolder || !last) return ''
  const oldest = await inTime(copyFolder, CHECK_TIMEOUT_MS, async () => {
    const { header } = await readHeader(join(backupFolder(dataFolder), last.name))
    return oldestCheck({ dataFolder, copyFolder, site: header.site, now })
  }).catch(() => null)
  return oldest === null ? '' : `。どの控えも${dayFormat.format(oldest)}以降に確認しました`
}

// The site begins to copy a backup within ten minutes, and a large backup takes longer.
const MAX_COPY_DELAY = HOUR / 2

async function lastNightToCopy(dataFolder: string, now: number) {
  return (await listNights(backupFolder(dataFolder), now)).findLast(({ at }) => now - at > MAX_COPY_DELAY)
}

async function faultOfCopies({ dataFolder, backupCopyFolder: copyFolder }: Settings, now: number) {
  if (!copyFolder) return null
  const label = `控えの二つ目の場所（${copyFolder}）`
  const checkCopy = async (progress: () => void) => {
    const fault = await faultOfCopyFolder({ dataFolder, copyFolder })
    if (fault) return fault
    const damaged = await listDamagedCopies(copyFolder)
    if (damaged.length > 0)
      return `${label}に、壊れた控え（${damaged.join('、')}）があります。故障の可能性があります。別のUSBメモリーなどに替えるか、その控えを消してください`
    const last = await lastNightToCopy(dataFolder, now)
    if (!last) return null
    const copy = join(copyFolder, last.name)
    if (!existsSync(copy))
      return `${label}に、いちばん新しい夜の控え（${last.name}）がありません。npm run backup -- --copy を試し、表示される案内に従ってください`
    const { size } = await stat(join(backupFolder(dataFolder), last.name))
    const opened = await openBackup(copy, progress).catch(() => null)
    if (opened?.size === size) return null
    return `${label}の控え（${last.name}）が壊れています。故障の可能性があります。別のUSBメモリーなどに替えてください`
  }
  return inTime(copyFolder, CHECK_TIMEOUT_MS, checkCopy).catch(errorSentence)
}

async function checkBucket(
  { dataFolder, backupBucket: bucket }: Settings,
  now: number,
): Promise<{ fault?: string; note?: string | null }> {
  if (!bucket) return {}
  const label = bucketLabel(bucket.name)
  const check = async (progress: () => void) => {
    const last = await lastNightToCopy(dataFolder, now)
    const site = last && (await readHeader(join(backupFolder(dataFolder), last.name))).header.site
    const newest = (await listS3Copies(bucket, site, progress)).findLast(({ at }) => isPlausible(at, now))
    const age = newest && `${dayFormat.format(newest.at)}（${Math.floor((now - newest.at) / DAY)}日前）のもの`
    if (!last || (newest && newest.at >= last.at)) return { note: age ? `${label}は${age}まで` : null }
    return {
      fault: `${label}に、いちばん新しい夜の控え（${last.name}）がありません。${age ? `保管先の最新は${age}です。` : ''}npm run backup -- --copy-s3 を試し、表示される案内に従ってください`,
    }
  }
  return inTimeOfBucket(bucket, CHECK_TIMEOUT_MS, check).catch((error) => ({ fault: errorSentence(error) }))
}

const PROGRAM_RELEASED_AT = Date.parse('2026-11-01')
const MAX_CLOCK_ERROR = 2 * 60 * 1000

async function checkClock({ settings: { holidaysUrl }, summary: { latest }, now }: Site) {
  const remedy = 'サーバーの時計を合わせてください（Debianなら timedatectl set-ntp true）'
  if (now < PROGRAM_RELEASED_AT) return `サーバーの時計が ${new Date(now).getFullYear()} 年を指しています。${remedy}`
  if (latest !== undefined && latest - now > MAX_CLOCK_ERROR)
    return `サーバーの時計が、データに残る最後の時刻より遅れています。${remedy}`
  if (!holidaysUrl) return { note: '比較先（HOLIDAYS_URL）がないため、合っているかは確認していません' }
  try {
    const requestedAt = performance.now()
    const response = await fetch(holidaysUrl, { method: 'HEAD', signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })
    const remoteTime = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(remoteTime)) throw new Error('Invalid Date header; expected an HTTP date')
    const clockError = Math.abs(now + (performance.now() - requestedAt) - remoteTime)
    return clockError > MAX_CLOCK_ERROR
      ? `サーバーの時計が、外部の時計と${Math.round(clockError / 60_000)}分ずれています。${remedy}`
      : null
  } catch {
    return { note: '外部の時計（HOLIDAYS_URL）につながらず、合っているかは確認していません' }
  }
}

async function checkMail({ settings, summary: { waiting = 0, readers } }: Site) {
  if (!settings.smtpUrl) return null
  const fault = await faultOfMail(settings, settings.smtpUrl, waiting)
  const noRecipientSentence = 'お問い合わせを受け取る方が決まっていません。「お店の情報」で設定してください'
  const note = readers && (readers.length > 0 ? `お問い合わせは ${readers.join('、')} に届きます` : noRecipientSentence)
  return { faults: fault ? [fault] : [], note }
}

async function faultOfMail(settings: Settings, url: string, waiting: number) {
  const timeouts = {
    connectionTimeout: CHECK_TIMEOUT_MS,
    greetingTimeout: CHECK_TIMEOUT_MS,
    socketTimeout: CHECK_TIMEOUT_MS,
  }
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

const MAX_PROXY_AGE = 2 * DAY

// Anybody can send the header to a site that is reachable without its proxy, so only the operator can name the proxy.
async function checkProxy({ settings: { trustedProxies }, environment, summary: { untrustedProxy }, now }: Site) {
  if (!untrustedProxy || now - untrustedProxy.at > MAX_PROXY_AGE) return null
  const { ip } = untrustedProxy
  if (isTrustedProxy(ip, trustedProxies)) return null
  const line = `TRUSTED_PROXY=${[environment.TRUSTED_PROXY, ip].filter(Boolean).join(',')}`
  return `TRUSTED_PROXY にない ${ip} が、お客さまのアドレスを添えて中継しています。このプロキシからの方は、すべて同じ一人として数えます。${ip} がお店のプロキシなら ${line} と書き、覚えがなければ、プロキシを通らずにサイトへつながらないようにしてください`
}

const MIN_CERTIFICATE_LIFETIME = 7 * DAY

async function checkAddress({ settings: { publicOrigin }, now }: Site) {
  if (!publicOrigin) return { note: '設定 PUBLIC_ORIGIN がないため、外からのアクセスは確認していません' }
  const url = new URL(publicOrigin)
  const fault = url.protocol === 'https:' ? await faultOfCertificate(url, now) : null
  if (fault) return fault
  let status: string | undefined
  try {
    const response = await fetch(`${publicOrigin}/api/health`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })
    status = ((await response.json()) as { status?: string }).status
  } catch {
    return `${publicOrigin} でこのサイトが応答しません。サイトとプロキシが動いているか、アドレスの行き先がこのサーバーかをご確認ください`
  }
  // Another check reports a full disk.
  if (status === 'ok' || status === 'full') return checkRedirects(url)
  const stateSentence = status === 'unwritable' ? 'データを書き込めて' : 'データベースを読めて'
  return `${publicOrigin} は開きますが、サイトが${stateSentence}いません。ログ（journalctl -u noren）をご確認ください`
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
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
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
    socket.setTimeout(CHECK_TIMEOUT_MS, () => end(`${origin} が応答しません。${remedy}`))
    socket.once('error', ({ message }) => end(`${origin} に安全につながりません（${message}）。${remedy}`))
    socket.once('secureConnect', () => {
      const remaining = Date.parse(socket.getPeerCertificate().valid_to) - now
      if (remaining < 0) return end(`${origin} の証明書の期限が切れています。${remedy}`)
      if (!socket.authorized)
        return end(`${origin} の証明書をブラウザが信頼しません（${socket.authorizationError}）。${remedy}`)
      if (remaining < MIN_CERTIFICATE_LIFETIME)
        return end(`${origin} の証明書があと${Math.floor(remaining / DAY)}日で切れます。${remedy}`)
      end(null)
    })
  })
}
