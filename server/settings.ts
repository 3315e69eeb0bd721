import { BlockList } from 'node:net'
import { isAbsolute, relative, resolve } from 'node:path'
import { z } from 'zod'
import { isPlainEmail } from '../app/forms/email-address.ts'
import { addIpRange } from './client-ip.ts'
import { errorSentence } from './error-sentence.ts'
import { INTERNAL_HOST, isLoopback } from './origin.ts'
import { MIN_SECRET_LENGTH } from './secret.ts'
import { readTextFile } from './text-file.ts'

/** An optional variable that may also be in the file that NAME_FILE names, such as a Docker secret. */
const secret = <T extends z.ZodType>(schema: T) => schema.optional().meta({ isSecret: true })

const yesOrNo = z.stringbool({ truthy: ['yes'], falsy: ['no'], case: 'sensitive', error: 'yes か no を書いてください' })
const wholeNumber = (missing: string, min: number, max: number) =>
  z.coerce.number(missing).int('整数で書いてください').min(min, `${min}〜${max}です`).max(max, `${min}〜${max}です`)
const matching = (pattern: RegExp, error: string) => z.string().regex(pattern, error)
const length = wholeNumber('文字数を書いてください', 1, 200)
// In a URL with an unencoded #, the parser ends the password or the host there.
const serverUrl = (protocol: RegExp, error: string) =>
  z
    .url({
      protocol,
      error: `${error}で始まるアドレスを書いてください（名前やパスワードの @ は %40、# は %23 と書きます）`,
    })
    .refine((url) => !url.includes('#'), '# は %23 と書いてください')
const webAddress = z.url({ protocol: /^https?$/, error: 'https:// で始まるアドレスを書いてください' })

// Normalises a URL to the form of the Origin header: lower case, punycode, no default port.
function readOrigin(text: string, { addIssue }: z.RefinementCtx) {
  const url = URL.parse(text)
  const isWeb = /^https?:\/\//i.test(text)
  if (isWeb && url?.href === `${url?.origin}/`) return url.origin
  const fault = url ? '余分な文字が付いています' : 'アドレスとして読めません'
  addIssue(`${isWeb ? fault : 'https:// から書いてください'}（例: https://example.jp）`)
  return z.NEVER
}

function readTrustedProxies(text: string, { addIssue }: z.RefinementCtx) {
  const proxies = new BlockList()
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry && !addIpRange(proxies, entry))
      addIssue('IPアドレスか範囲（例: 127.0.0.1, 172.16.0.0/12）をコンマ区切りで書いてください')
  }
  return proxies
}

// Returns the origins in lower case, without a default port.
function readPushServices(text: string, { addIssue }: z.RefinementCtx) {
  return text.split(',').map((entry) => {
    const url = URL.parse(entry.trim().replace('://*.', '://any.'))
    if (url?.protocol !== 'https:' || url.href !== `${url.origin}/` || url.href.includes('*'))
      addIssue('https:// で始まるアドレスをコンマ区切りで書いてください（例: https://*.push.apple.com）')
    return entry.includes('*') ? `${url?.origin}`.replace('://any.', '://*.') : `${url?.origin}`
  })
}

// The operator chooses this address, so it may be in the operator's own network.
function isWebhookUrl(text: string) {
  const url = URL.parse(text)
  const isInternal = url?.protocol === 'http:' && INTERNAL_HOST.test(url.hostname)
  return !url?.username && (url?.protocol === 'https:' || isInternal)
}

// Others on the network could change the response of an unprotected URL.
function isProtectedUrl(text: string) {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

const emailAddress = z.string().refine(isPlainEmail, 'メールアドレスを書いてください')

const PUSH_SERVICES =
  'https://fcm.googleapis.com, https://*.push.services.mozilla.com, https://*.push.apple.com, https://*.notify.windows.com'
const GOOGLE = 'https://accounts.google.com/.well-known/openid-configuration'

const Variables = z.object({
  PORT: wholeNumber('数字で書いてください', 0, 65535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('data'),
  BACKUP_COPY_DIR: z.string().refine(isAbsolute, 'フォルダーの場所を / から書いてください').optional(),
  BACKUP_S3_ENDPOINT: webAddress
    .refine((text) => !URL.parse(text)?.username, 'アクセスキーは BACKUP_S3_ACCESS_KEY_ID に書いてください')
    .optional(),
  BACKUP_S3_BUCKET: matching(/^[a-zA-Z0-9][\w.-]+$/, 'バケットの名前だけを書いてください').optional(),
  BACKUP_S3_REGION: z.string().optional(),
  BACKUP_S3_PREFIX: matching(
    /^\/?(?:[\w-][\w.-]*(?:\/|$))*$/,
    '英数字と . _ - / だけで書いてください（例: noren）',
  ).default(''),
  BACKUP_S3_PATH_STYLE: yesOrNo.default(true),
  BACKUP_S3_ACCESS_KEY_ID: secret(z.string()),
  BACKUP_S3_SECRET_ACCESS_KEY: secret(z.string()),
  BACKUP_PASSPHRASE: secret(z.string().min(16, '16文字以上にしてください')),
  BACKUP_AGE_KEY: secret(
    matching(/^(?:age1[0-9a-z]{58,}|AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{58,})$/, 'age の鍵（age1…）を書いてください'),
  ),
  SECRET: secret(
    z.string().min(MIN_SECRET_LENGTH, `${MIN_SECRET_LENGTH}文字以上の、推測できない文字列を書いてください`),
  ),
  DATABASE_URL: secret(serverUrl(/^postgres(ql)?$/, 'postgres:// ')),
  WEB_PROCESSES: wholeNumber('数を書いてください', 1, 64).default(1),
  PUBLIC_ORIGIN: z.string().transform(readOrigin).optional(),
  TRUSTED_PROXY: z.string().default('').transform(readTrustedProxies),
  SAMPLE_SHOP: yesOrNo.default(true),
  OWNER_EMAIL: emailAddress.toLowerCase().optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: secret(z.string()),
  SMTP_URL: secret(serverUrl(/^smtps?$/, 'smtp:// か smtps:// ')),
  MAIL_FROM: emailAddress.optional(),
  PASSWORD_MIN: length.default(6),
  PASSWORD_MAX: length.default(128),
  PASSWORD_LOWER: yesOrNo.default(false),
  PASSWORD_UPPER: yesOrNo.default(false),
  PASSWORD_DIGIT: yesOrNo.default(false),
  PASSWORD_OTHER: yesOrNo.default(false),
  LIVE_STREAMS_PER_NETWORK: z.coerce
    .number('数を書いてください')
    .int('整数で書いてください')
    .min(1, '1以上です')
    .default(200),
  METRICS_TOKEN: secret(
    matching(/^[\w.~+/-]{32,}=*$/, '半角の英数字で、32文字以上にしてください（例: openssl rand -hex 32）'),
  ),
  PUSH_SERVICES: z.string().default(PUSH_SERVICES).transform(readPushServices),
  NOTIFY_URL: z
    .string()
    .refine(isWebhookUrl, 'https:// で始まるアドレスを書いてください（お店のネットワークの中なら http:// も使えます）')
    .optional(),
  NOTIFY_SECRET: secret(
    matching(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'whsec_ のあとに openssl rand -base64 32 の出力を書いてください'),
  ),
  HOLIDAYS_URL: z.literal('').or(webAddress).default('https://holidays-jp.github.io/api/v1/date.json'),
  UPDATE_URL: z.string().refine(isProtectedUrl, 'https:// で始まるアドレスを書いてください').optional(),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error, silent のどれかです')
    .default('info'),
})

/** Variables that are set together, or not at all. */
export const BUCKET_VARIABLES = [
  'BACKUP_S3_ENDPOINT',
  'BACKUP_S3_BUCKET',
  'BACKUP_S3_ACCESS_KEY_ID',
  'BACKUP_S3_SECRET_ACCESS_KEY',
] as const

const VARIABLE_PAIRS = [
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['NOTIFY_URL', 'NOTIFY_SECRET'],
] as const

const ValidVariables = Variables.superRefine((variables, context) => {
  const addIssue = (name: keyof typeof variables, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  for (const pair of VARIABLE_PAIRS)
    for (const [name, other] of [pair, [pair[1], pair[0]] as const])
      if (variables[name] && !variables[other])
        addIssue(other, `${name} がありますので、両方を書くか、両方を消してください`)
  if (variables.WEB_PROCESSES > 1 && !variables.DATABASE_URL)
    addIssue('WEB_PROCESSES', 'いくつかのプロセスで動かすには、PostgreSQL（DATABASE_URL）が必要です')
  if (variables.BACKUP_COPY_DIR && isWithin(variables.DATA_DIR, variables.BACKUP_COPY_DIR))
    addIssue('BACKUP_COPY_DIR', 'データの置き場所（DATA_DIR）の外の、別のディスクにしてください')
  const missing = BUCKET_VARIABLES.filter((name) => !variables[name])
  const hasBucket = missing.length < BUCKET_VARIABLES.length
  for (const name of hasBucket ? missing : [])
    addIssue(name, `控えをクラウドに送るには、${BUCKET_VARIABLES.join('、')} をすべて書いてください`)
  if (hasBucket && Boolean(variables.BACKUP_PASSPHRASE) === Boolean(variables.BACKUP_AGE_KEY))
    addIssue(
      variables.BACKUP_AGE_KEY ? 'BACKUP_AGE_KEY' : 'BACKUP_PASSPHRASE',
      '控えをクラウドに送るには、BACKUP_PASSPHRASE か BACKUP_AGE_KEY の、どちらか一つを書いてください',
    )
  // Without PUBLIC_ORIGIN, links in e-mails would contain the host that the server listens on.
  if (variables.SMTP_URL && !isLoopback(variables.HOST) && !variables.PUBLIC_ORIGIN)
    addIssue(
      'PUBLIC_ORIGIN',
      'メールを送り、外部に公開するサイトには、公開するアドレスが必要です（例: https://example.jp）',
    )
})

function isWithin(folder: string, path: string) {
  const relativePath = relative(resolve(folder), path)
  return !relativePath.startsWith('..') && !isAbsolute(relativePath)
}

/** Bucket for encrypted copies of the nightly backups. `prefix` is '' or ends with a slash. */
export type BackupBucket = NonNullable<ReturnType<typeof readBackupBucket>>

function readBackupBucket(variables: z.output<typeof Variables>) {
  const [endpoint, name, accessKeyId, secretAccessKey] = BUCKET_VARIABLES.map((variable) => variables[variable])
  if (!endpoint || !name || !accessKeyId || !secretAccessKey) return null
  return {
    endpoint,
    name,
    accessKeyId,
    secretAccessKey,
    region: variables.BACKUP_S3_REGION,
    prefix: variables.BACKUP_S3_PREFIX.split('/')
      .filter(Boolean)
      .map((folder) => `${folder}/`)
      .join(''),
    isPathStyle: variables.BACKUP_S3_PATH_STYLE,
    key: { passphrase: variables.BACKUP_PASSPHRASE, ageKey: variables.BACKUP_AGE_KEY },
  }
}

export const secretNames = Object.entries(Variables.shape)
  .filter(([, schema]) => schema.meta()?.isSecret)
  .map(([name]) => name)

/** Names of all variables that the site reads. */
export const settingNames = [...Object.keys(Variables.shape), ...secretNames.map((name) => `${name}_FILE`)]

/** Empty values of all variables. They override the settings file of this machine. */
export const blankSettings = Object.fromEntries(settingNames.map((name) => [name, '']))

type Environment = Record<string, string | undefined>
type Fault = { name: string; message: string }

/** Adds the content of the file that NAME_FILE names as NAME, for each secret. */
function readSecretFiles(environment: Environment, faults: Fault[]): Environment {
  const secrets: Environment = {}
  for (const name of secretNames) {
    const file = environment[`${name}_FILE`]
    if (!file) continue
    const addFault = (message: string) => faults.push({ name: `${name}_FILE`, message })
    if (environment[name]) addFault(`${name} もありますので、どちらか一つにしてください`)
    try {
      secrets[name] = readTextFile(file).trim()
      if (!secrets[name]) addFault(`ファイルが空です: ${file}`)
    } catch (error) {
      addFault(errorSentence(error).replace(/。$/, ''))
    }
  }
  return { ...environment, ...secrets }
}

export type Settings = ReturnType<typeof readSettings>

/** Returns the settings. Throws an Error that names every invalid variable, in Japanese. */
export function readSettings(environment: Environment) {
  const faults: Fault[] = []
  const written = Object.entries(readSecretFiles(environment, faults))
  // Blank variables count as missing, but a blank HOLIDAYS_URL switches the holidays off.
  const present = written.filter(([name, value]) => value !== '' || name === 'HOLIDAYS_URL')
  const read = ValidVariables.safeParse(Object.fromEntries(present))
  for (const { path, message } of read.error?.issues ?? []) faults.push({ name: path.join('.'), message })
  if (faults.length > 0 || !read.data)
    throw new Error(faults.map(({ name, message }) => `設定 ${name} が正しくありません: ${message}`).join('\n'))
  const variables = read.data
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = variables
  const { NOTIFY_URL: webhookUrl, NOTIFY_SECRET: webhookSecret } = variables
  return {
    port: variables.PORT,
    host: variables.HOST,
    dataFolder: resolve(variables.DATA_DIR),
    backupCopyFolder: variables.BACKUP_COPY_DIR ?? null,
    backupBucket: readBackupBucket(variables),
    secret: variables.SECRET,
    databaseUrl: variables.DATABASE_URL,
    processes: variables.WEB_PROCESSES,
    publicOrigin: variables.PUBLIC_ORIGIN,
    trustedProxies: variables.TRUSTED_PROXY,
    sampleShop: variables.SAMPLE_SHOP,
    holidaysUrl: variables.HOLIDAYS_URL || null,
    updateUrl: variables.UPDATE_URL ?? null,
    logLevel: variables.LOG_LEVEL,
    liveStreamsPerNetwork: variables.LIVE_STREAMS_PER_NETWORK,
    metricsToken: variables.METRICS_TOKEN,
    ownerEmail: variables.OWNER_EMAIL,
    smtpUrl: variables.SMTP_URL,
    mailFrom: variables.MAIL_FROM,
    pushServices: variables.PUSH_SERVICES,
    webhook: webhookUrl && webhookSecret ? { url: webhookUrl, secret: webhookSecret } : null,
    google: clientId && clientSecret ? { clientId, clientSecret, discoveryUrl: GOOGLE } : null,
    passwords: {
      min: variables.PASSWORD_MIN,
      max: variables.PASSWORD_MAX,
      lower: variables.PASSWORD_LOWER,
      upper: variables.PASSWORD_UPPER,
      digit: variables.PASSWORD_DIGIT,
      other: variables.PASSWORD_OTHER,
    },
  }
}
