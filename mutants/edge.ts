import type { Mutant } from '../scripts/mutants.ts'

const app = { file: 'server/app.ts', tests: ['server/app.test.ts'] }
const origin = { file: 'server/origin.ts', tests: ['server/app.test.ts'] }
const settings = { file: 'server/settings.ts', tests: ['server/settings.test.ts'] }
const doctor = { file: 'server/doctor.ts', tests: ['server/doctor.test.ts'] }
const mailer = { file: 'app/mail/mailer.server.ts', tests: ['app/mail/outbox.server.test.ts'] }
const processes = { tests: ['server/prepare-process.test.ts'] }

// Hosts, headers, files and mails: what a stranger or another machine sees of the site.
export default [
  { ...app, text: "c.req.path !== '/api/health' && isUnderOtherName", broken: 'isUnderOtherName' },
  { ...app, text: 'if (reads && c.req.path', broken: 'if (c.req.path' },
  { ...app, text: '`${origin}${pathname}${search}`, 308', broken: '`${origin}${pathname}`, 308' },
  { ...app, text: "      c.header('cache-control', 'private, no-store')\n", broken: '' },
  { ...app, text: "EMBEDDABLE.test(c.req.path) ? 'cross-origin' : 'same-origin'", broken: "'same-origin'" },
  { ...app, text: "EMBEDDABLE.test(c.req.path) ? 'cross-origin' : 'same-origin'", broken: "'cross-origin'" },
  { ...app, text: "['token', 'key', 'permit', 'code']", broken: "['token', 'permit', 'code']" },
  { ...origin, text: '!INTERNAL.test(host)', broken: 'true' },
  { ...origin, text: 'if (!publicOrigin) return false\n  const', broken: 'const' },
  { ...origin, text: "hostname.replace(/\\.$/, '')", broken: 'hostname' },
  {
    ...origin,
    text: "const isTrusted = trustedProxies.includes(plain(sender) ?? '')",
    broken: 'const isTrusted = true',
  },
  {
    ...origin,
    text: "const isTrusted = trustedProxies.includes(plain(sender) ?? '')",
    broken: 'const isTrusted = false',
  },
  { ...settings, text: 'isWeb && url?.href === `${url?.origin}/`', broken: 'isWeb && url' },
  {
    file: 'server/listen.ts',
    text: '  joinDuplicateHeaders: true,\n',
    broken: '',
    tests: ['server/listen.test.ts'],
  },
  { ...doctor, text: 'if ((await redirectFrom(href)) === href)', broken: 'if (false)' },
  { ...doctor, text: 'if (target?.startsWith(href)) return', broken: 'if (target) return' },
  { ...doctor, text: 'if (!(mode(path) & 0o011)) return []', broken: '' },
  { ...doctor, text: '& 0o044 && !UNREAD', broken: '& 0o004 && !UNREAD' },
  { ...mailer, text: '/\\.[a-z][^.]*$/i.test(name)', broken: 'true' },
  { ...mailer, text: '...(clientName && { name: clientName }),', broken: '' },
  { ...mailer, text: "...(isAutomatic && { headers: { 'Auto-Submitted': 'auto-generated' } }),", broken: '' },
  { ...mailer, file: 'app/mail/outbox.server.ts', text: 'mail.about === null\n', broken: 'true\n' },
  { ...processes, file: 'server/prepare-process.ts', text: 'process.umask(0o077)', broken: '' },
  { ...processes, file: 'server/open-site.ts', text: 'if (!place.url) closeToOthers(place.file)', broken: '' },
] satisfies Mutant[]
