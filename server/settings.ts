import { BlockList } from 'node:net'
import { isAbsolute, relative, resolve } from 'node:path'
import { z } from 'zod'
import { isPlainEmail } from '../app/forms/email-address.ts'
import { addIpRange } from './client-ip.ts'
import { isLoopback } from './origin.ts'

const blankAsMissing = (value: unknown) => (value === '' ? undefined : value)
const optionalVariable = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsMissing, schema)

const yesOrNo = z.enum(['yes', 'no'], 'yes か no を書いてください')
const wholeNumber = (missing: string, min: number, max: number) =>
  z.coerce.number(missing).int('整数で書いてください').min(min, `${min}〜${max}です`).max(max, `${min}〜${max}です`)
const length = wholeNumber('文字数を書いてください', 1, 200)
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

const emailAddress = z.string().refine(isPlainEmail, 'メールアドレスを書いてください')

const GOOGLE = 'https://accounts.google.com/.well-known/openid-configuration'

const Variables = z.object({
  PORT: optionalVariable(wholeNumber('数字で書いてください', 0, 65535).default(3000)),
  HOST: optionalVariable(z.string().default('127.0.0.1')),
  DATA_DIR: optionalVariable(z.string().default('data')),
  BACKUP_COPY_DIR: optionalVariable(
    z.string().refine(isAbsolute, 'フォルダーの場所を / から書いてください').optional(),
  ),
  DATABASE_URL: optionalVariable(
    z.url({ protocol: /^postgres(ql)?$/, error: 'postgres:// で始まるアドレスを書いてください' }).optional(),
  ),
  WEB_PROCESSES: optionalVariable(wholeNumber('数を書いてください', 1, 64).default(1)),
  PUBLIC_ORIGIN: optionalVariable(z.string().transform(readOrigin).optional()),
  TRUSTED_PROXY: z.string().default('').transform(readTrustedProxies),
  SAMPLE_SHOP: optionalVariable(yesOrNo.default('yes')),
  OWNER_EMAIL: optionalVariable(emailAddress.toLowerCase().optional()),
  GOOGLE_CLIENT_ID: optionalVariable(z.string().optional()),
  GOOGLE_CLIENT_SECRET: optionalVariable(z.string().optional()),
  SMTP_URL: optionalVariable(
    z.url({ protocol: /^smtps?$/, error: 'smtp:// か smtps:// で始まるアドレスを書いてください' }).optional(),
  ),
  MAIL_FROM: optionalVariable(emailAddress.optional()),
  PASSWORD_MIN: optionalVariable(length.default(6)),
  PASSWORD_MAX: optionalVariable(length.default(128)),
  PASSWORD_LOWER: optionalVariable(yesOrNo.default('no')),
  PASSWORD_UPPER: optionalVariable(yesOrNo.default('no')),
  PASSWORD_DIGIT: optionalVariable(yesOrNo.default('no')),
  PASSWORD_OTHER: optionalVariable(yesOrNo.default('no')),
  LIVE_STREAMS_PER_NETWORK: optionalVariable(
    z.coerce.number('数を書いてください').int('整数で書いてください').min(1, '1以上です').default(200),
  ),
  METRICS_TOKEN: optionalVariable(
    z
      .string()
      .regex(/^[\w.~+/-]{32,}=*$/, '半角の英数字で、32文字以上にしてください（例: openssl rand -hex 32）')
      .optional(),
  ),
  HOLIDAYS_URL: z.literal('').or(webAddress).default('https://holidays-jp.github.io/api/v1/date.json'),
  LOG_LEVEL: optionalVariable(
    z
      .enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error, silent のどれかです')
      .default('info'),
  ),
})

const Environment = Variables.superRefine((variables, context) => {
  const addIssue = (name: keyof typeof variables, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  if (variables.GOOGLE_CLIENT_ID && !variables.GOOGLE_CLIENT_SECRET)
    addIssue('GOOGLE_CLIENT_SECRET', 'GOOGLE_CLIENT_ID がありますので、両方を書くか、両方を消してください')
  if (variables.GOOGLE_CLIENT_SECRET && !variables.GOOGLE_CLIENT_ID)
    addIssue('GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET がありますので、両方を書くか、両方を消してください')
  if (variables.WEB_PROCESSES > 1 && !variables.DATABASE_URL)
    addIssue('WEB_PROCESSES', 'いくつかのプロセスで動かすには、PostgreSQL（DATABASE_URL）が必要です')
  if (variables.BACKUP_COPY_DIR && isWithin(variables.DATA_DIR, variables.BACKUP_COPY_DIR))
    addIssue('BACKUP_COPY_DIR', 'データの置き場所（DATA_DIR）の外の、別のディスクにしてください')
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

export type Settings = ReturnType<typeof readSettings>

/** Returns the settings. Throws an Error that names every invalid variable, in Japanese. */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = Environment.safeParse(environment)
  if (!read.success) {
    const faults = read.error.issues.map((issue) => `設定 ${issue.path.join('.')} が正しくありません: ${issue.message}`)
    throw new Error(faults.join('\n'))
  }
  const variables = read.data
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = variables
  return {
    port: variables.PORT,
    host: variables.HOST,
    dataFolder: resolve(variables.DATA_DIR),
    backupCopyFolder: variables.BACKUP_COPY_DIR ?? null,
    databaseUrl: variables.DATABASE_URL,
    processes: variables.WEB_PROCESSES,
    publicOrigin: variables.PUBLIC_ORIGIN,
    trustedProxies: variables.TRUSTED_PROXY,
    sampleShop: variables.SAMPLE_SHOP === 'yes',
    holidaysUrl: variables.HOLIDAYS_URL || null,
    logLevel: variables.LOG_LEVEL,
    liveStreamsPerNetwork: variables.LIVE_STREAMS_PER_NETWORK,
    metricsToken: variables.METRICS_TOKEN,
    ownerEmail: variables.OWNER_EMAIL,
    smtpUrl: variables.SMTP_URL,
    mailFrom: variables.MAIL_FROM,
    google: clientId && clientSecret ? { clientId, clientSecret, discoveryUrl: GOOGLE } : null,
    passwords: {
      min: variables.PASSWORD_MIN,
      max: variables.PASSWORD_MAX,
      lower: variables.PASSWORD_LOWER === 'yes',
      upper: variables.PASSWORD_UPPER === 'yes',
      digit: variables.PASSWORD_DIGIT === 'yes',
      other: variables.PASSWORD_OTHER === 'yes',
    },
  }
}
