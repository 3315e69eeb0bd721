import { isIP } from 'node:net'
import { isAbsolute, relative, resolve } from 'node:path'
import { z } from 'zod'
import { isPlainEmail } from '../app/forms/email-address.ts'
import { isLoopback } from './origin.ts'

const blankAsMissing = (value: unknown) => (value === '' ? undefined : value)
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsMissing, schema)

const yesOrNo = z.enum(['yes', 'no'], 'yes か no を書いてください')
const wholeNumber = (missing: string, min: number, max: number) =>
  z.coerce.number(missing).int('整数で書いてください').min(min, `${min}〜${max}です`).max(max, `${min}〜${max}です`)
const length = wholeNumber('文字数を書いてください', 1, 200)
const webAddress = z.url({ protocol: /^https?$/, error: 'https:// で始まるアドレスを書いてください' })

// Normalises to the form of the Origin header: lower case, punycode, no default port.
function readOrigin(text: string, { addIssue }: z.RefinementCtx) {
  const url = URL.parse(text)
  const isWeb = /^https?:\/\//i.test(text)
  if (isWeb && url?.href === `${url?.origin}/`) return url.origin
  const fault = url ? '余分な文字が付いています' : 'アドレスとして読めません'
  addIssue(`${isWeb ? fault : 'https:// から書いてください'}（例: https://example.jp）`)
  return z.NEVER
}

const emailAddress = z.string().refine(isPlainEmail, 'メールアドレスを書いてください')

const GOOGLE = 'https://accounts.google.com/.well-known/openid-configuration'

const Variables = z.object({
  PORT: setting(wholeNumber('数字で書いてください', 0, 65535).default(3000)),
  HOST: setting(z.string().default('127.0.0.1')),
  DATA_DIR: setting(z.string().default('data')),
  BACKUP_COPY_DIR: setting(z.string().refine(isAbsolute, 'フォルダーの場所を / から書いてください').optional()),
  DATABASE_URL: setting(
    z.url({ protocol: /^postgres(ql)?$/, error: 'postgres:// で始まるアドレスを書いてください' }).optional(),
  ),
  WEB_PROCESSES: setting(wholeNumber('数を書いてください', 1, 64).default(1)),
  PUBLIC_ORIGIN: setting(z.string().transform(readOrigin).optional()),
  TRUSTED_PROXY: setting(
    z
      .string()
      .transform((list) => list.split(',').map((address) => address.trim()))
      .refine((list) => list.every((address) => isIP(address) !== 0), 'IPアドレスをコンマ区切りで書いてください')
      .default([]),
  ),
  SAMPLE_SHOP: setting(yesOrNo.default('yes')),
  OWNER_EMAIL: setting(emailAddress.toLowerCase().optional()),
  GOOGLE_CLIENT_ID: setting(z.string().optional()),
  GOOGLE_CLIENT_SECRET: setting(z.string().optional()),
  SMTP_URL: setting(
    z.url({ protocol: /^smtps?$/, error: 'smtp:// か smtps:// で始まるアドレスを書いてください' }).optional(),
  ),
  MAIL_FROM: setting(emailAddress.optional()),
  PASSWORD_MIN: setting(length.default(6)),
  PASSWORD_MAX: setting(length.default(128)),
  PASSWORD_LOWER: setting(yesOrNo.default('no')),
  PASSWORD_UPPER: setting(yesOrNo.default('no')),
  PASSWORD_DIGIT: setting(yesOrNo.default('no')),
  PASSWORD_OTHER: setting(yesOrNo.default('no')),
  LIVE_STREAMS_PER_NETWORK: setting(
    z.coerce.number('数を書いてください').int('整数で書いてください').min(1, '1以上です').default(200),
  ),
  // An empty value switches the holidays off.
  HOLIDAYS_URL: z.literal('').or(webAddress).default('https://holidays-jp.github.io/api/v1/date.json'),
  LOG_LEVEL: setting(
    z
      .enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error, silent のどれかです')
      .default('info'),
  ),
})

const Environment = Variables.superRefine((given, check) => {
  const refuse = (name: keyof typeof given, message: string) =>
    check.addIssue({ code: 'custom', path: [name], message })
  if (given.GOOGLE_CLIENT_ID && !given.GOOGLE_CLIENT_SECRET)
    refuse('GOOGLE_CLIENT_SECRET', 'GOOGLE_CLIENT_ID がありますので、両方を書くか、両方を消してください')
  if (given.GOOGLE_CLIENT_SECRET && !given.GOOGLE_CLIENT_ID)
    refuse('GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET がありますので、両方を書くか、両方を消してください')
  if (given.WEB_PROCESSES > 1 && !given.DATABASE_URL)
    refuse('WEB_PROCESSES', 'いくつかのプロセスで動かすには、PostgreSQL（DATABASE_URL）が必要です')
  if (given.BACKUP_COPY_DIR && isWithin(given.DATA_DIR, given.BACKUP_COPY_DIR))
    refuse('BACKUP_COPY_DIR', 'データの置き場所（DATA_DIR）の外の、別のディスクにしてください')
  // Otherwise links in e-mails would lead to the address that the server listens on.
  if (given.SMTP_URL && !isLoopback(given.HOST) && !given.PUBLIC_ORIGIN)
    refuse(
      'PUBLIC_ORIGIN',
      'メールを送り、外部に公開するサイトには、公開するアドレスが必要です（例: https://example.jp）',
    )
})

function isWithin(folder: string, path: string) {
  const way = relative(resolve(folder), path)
  return !way.startsWith('..') && !isAbsolute(way)
}

export type Settings = ReturnType<typeof readSettings>

/** Returns the settings. Throws an Error that names every invalid variable, in Japanese. */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = Environment.safeParse(environment)
  if (!read.success) {
    const faults = read.error.issues.map((issue) => `設定 ${issue.path.join('.')} が正しくありません: ${issue.message}`)
    throw new Error(faults.join('\n'))
  }
  const given = read.data
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = given
  return {
    port: given.PORT,
    host: given.HOST,
    dataFolder: resolve(given.DATA_DIR),
    backupCopyFolder: given.BACKUP_COPY_DIR ?? null,
    databaseUrl: given.DATABASE_URL,
    processes: given.WEB_PROCESSES,
    publicOrigin: given.PUBLIC_ORIGIN,
    trustedProxies: given.TRUSTED_PROXY,
    sampleShop: given.SAMPLE_SHOP === 'yes',
    holidaysUrl: given.HOLIDAYS_URL || null,
    logLevel: given.LOG_LEVEL,
    liveStreamsPerNetwork: given.LIVE_STREAMS_PER_NETWORK,
    ownerEmail: given.OWNER_EMAIL,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM,
    google: clientId && clientSecret ? { clientId, clientSecret, discoveryUrl: GOOGLE } : null,
    passwords: {
      min: given.PASSWORD_MIN,
      max: given.PASSWORD_MAX,
      lower: given.PASSWORD_LOWER === 'yes',
      upper: given.PASSWORD_UPPER === 'yes',
      digit: given.PASSWORD_DIGIT === 'yes',
      other: given.PASSWORD_OTHER === 'yes',
    },
  }
}
