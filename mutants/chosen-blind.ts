import type { Mutant } from '../scripts/mutants.ts'

// Chosen by someone who had not read the tests.
export default [
  {
    file: 'app/accounts/accounts.server.ts',
    text: `    await endSessions(trx, accountId)
    await tellOfNewPassword`,
    broken: '    await tellOfNewPassword',
    tests: ['app/accounts/accounts.test.ts'],
  },
  {
    file: 'app/attempts.server.ts',
    text: 'until: sql`case when attempts.until <= ${at} then ${until} else attempts.until end`,',
    broken: 'until,',
    tests: ['app/attempts.test.ts'],
  },
  {
    file: 'app/accounts/addresses.server.ts',
    text: '.set({ email, emailVerified, updatedAt: new Date(now).toISOString() })',
    broken: '.set({ email, updatedAt: new Date(now).toISOString() })',
    tests: ['app/accounts/addresses.test.ts'],
  },
  {
    file: 'app/sign-in/email-login-page.tsx',
    text: `await forgetAttempts(db, 'signIn', who)`,
    broken: `await forgetAttempts(db, 'mail', who)`,
    tests: ['app/attempts.test.ts'],
  },
  {
    file: 'app/accounts/accounts.server.ts',
    text: `const answers = await db.selectFrom('answers').selectAll().where('memberId', 'in', own).execute()`,
    broken: `const answers = await db.selectFrom('answers').selectAll().execute()`,
    tests: ['app/accounts/accounts.test.ts'],
  },
  {
    file: 'app/accounts/mailed-links.server.ts',
    text: 'is.and({ accountId: link.accountId, purpose: link.purpose }).and',
    broken: 'is.and({ accountId: link.accountId }).and',
    tests: ['app/accounts/addresses.test.ts'],
  },
  {
    file: 'app/members/administration.server.ts',
    text: `.where('subjectId', 'like', \`%/\${row.id}\`)`,
    broken: `.where('subjectId', 'like', \`\${row.id}/%\`)`,
    tests: [
      'app/participation/answers.test.ts',
      'app/undo/put-back.test.ts',
      'app/accounts/accounts.test.ts',
      'app/members/registration.server.test.ts',
    ],
  },
  {
    file: 'app/members/registration.server.ts',
    text: 'const provenAddress = visitor.emailVerified ? visitor.email : null',
    broken: 'const provenAddress = visitor.emailVerified ? fields.email : null',
    tests: ['app/members/registration.server.test.ts', 'app/members/members.test.ts'],
  },
  {
    file: 'app/members/drafts.server.ts',
    text: `.doUpdateSet({ fields: draft.fields, updatedAt: draft.updatedAt })
            .where('memberDrafts.updatedAt', '<=', draft.updatedAt),`,
    broken: '.doUpdateSet({ fields: draft.fields, updatedAt: draft.updatedAt }),',
    tests: ['app/members/members.test.ts', 'app/members/registration.server.test.ts'],
  },
  {
    file: 'app/members/member-drafting.server.ts',
    text: `if (form.has('flags'))`,
    broken: '',
    tests: ['app/members/members.test.ts', 'app/doors.test.ts'],
  },
  {
    file: 'app/members/imported.server.ts',
    text: `    .where('nonMemberId', 'is', null)
`,
    broken: '',
    tests: ['server/import/import.test.ts', 'app/members/members.test.ts'],
  },
  {
    file: 'app/permissions.ts',
    text: 'return visitor?.member?.admin === true || isAdministrator(visitor)',
    broken: 'return visitor?.member?.admin === true',
    tests: ['app/permissions.test.ts'],
  },
  {
    file: 'app/card-form/card-saving.server.ts',
    text: 'if (sees) return { item, ...rights }',
    broken: 'if (item && rights) return { item, ...rights }',
    tests: ['app/cards/cards-of-page.server.test.ts', 'app/card-form/card-pages.test.ts', 'app/doors.test.ts'],
  },
  {
    file: 'app/card-form/card-values.ts',
    text: `allergens: form.getAll('allergens').join('、'),`,
    broken: `allergens: String(form.get('allergens') ?? ''),`,
    tests: ['app/shop/dining-page.test.ts', 'app/card-form/card-pages.test.ts'],
  },
  {
    file: 'app/cards/sold-out.ts',
    text: 'return Date.parse(`${day}T00:00:00+09:00`)',
    broken: 'return Date.parse(`${day}T00:00:00Z`)',
    tests: ['app/cards/sold-out.test.ts', 'app/shop/dining-page.test.ts'],
  },
  {
    file: 'app/cards/card-grid.tsx',
    text: '.filter((columns) => (columns - (count % columns)) % columns >= place)',
    broken: '.filter((columns) => (columns - (count % columns)) % columns > place)',
    tests: ['e2e/visit-the-shop.spec.ts'],
  },
  {
    file: 'app/cards/cards.server.ts',
    text: 'const items = await listCards(trx, collection, { drafts: true })',
    broken: 'const items = await listCards(trx, collection)',
    tests: ['app/cards/cards.server.test.ts', 'app/shop/dining-page.test.ts'],
  },
  {
    file: 'app/calendar/calendar-feed.ts',
    text: 'return [start, `DTEND:${instant(endTime <= startTime ? addDays(day, 1) : day, endTime)}`]',
    broken: 'return [start, `DTEND:${instant(day, endTime)}`]',
    tests: ['app/calendar/calendar-page.test.ts'],
  },
  {
    file: 'app/calendar/month-grid.tsx',
    text: 'return same < last ? same : last',
    broken: 'return same',
    tests: ['e2e/calendar.spec.ts'],
  },
  {
    file: 'app/calendar/event.ts',
    text: 'if (attendance && deadline && deadline > day)',
    broken: 'if (attendance && deadline && deadline >= day)',
    tests: ['app/calendar/event.test.ts'],
  },
  {
    file: 'app/business-days/rhythm.ts',
    text: 'return `第${Math.ceil(Number(day.slice(8)) / 7)}` === rhythm',
    broken: 'return `第${Math.floor(Number(day.slice(8)) / 7) + 1}` === rhythm',
    tests: ['app/business-days/rhythm.test.ts'],
  },
  {
    file: 'app/business-days/today-page.tsx',
    text: `    if (day !== today && day !== addDays(today, 1)) return answer(409, { trouble: OUTDATED })
`,
    broken: '',
    tests: ['app/business-days/business-days-page.test.ts', 'app/shop/dining-page.test.ts'],
  },
  {
    file: 'app/business-days/week-form.tsx',
    text: 'value={newer?.version ?? answer?.values?.version ?? seen}',
    broken: 'value={seen}',
    tests: ['e2e/calendar.spec.ts'],
  },
  {
    file: 'app/business-days/schedule.ts',
    text: '  if (!isClosure(reason)) refuseEmptySlots',
    broken: '  refuseEmptySlots',
    tests: ['app/business-days/schedule.test.ts'],
  },
  {
    file: 'app/mail/messages.server.ts',
    text: 'return readers[recipient] || readers.shop || (answering',
    broken: 'return readers.shop || (answering',
    tests: ['app/mail/mail-page.test.ts'],
  },
  {
    file: 'app/mail/letter.ts',
    text: `text.replace(/[&<>"']/g,`,
    broken: `text.replace(/[<>"']/g,`,
    tests: ['app/mail/letter.test.ts'],
  },
  {
    file: 'app/mail/mail-page.tsx',
    text: '!(now - shownAt >= QUICKEST_MS)',
    broken: 'now - shownAt < QUICKEST_MS',
    tests: ['app/mail/mail-page.test.ts'],
  },
  {
    file: 'app/mail/outbox.server.ts',
    text: `.set({ state: 'waiting', attempts: 0, dueAt: at, trouble: null, waitingSince: at })`,
    broken: `.set({ state: 'waiting', attempts: 0, dueAt: at, trouble: null })`,
    tests: ['app/mail/outbox.server.test.ts', 'app/mail/mail-page.test.ts'],
  },
  {
    file: 'app/participation/event-notices.server.ts',
    text: `        eb(last, '>=', today),
`,
    broken: '',
    tests: ['app/participation/event-notices.server.test.ts'],
  },
  {
    file: 'app/participation/answers.server.ts',
    text: 'waiting: waiting.includes(own) ? waiting.indexOf(own) + 1 : null,',
    broken: 'waiting: waiting.includes(own) ? waiting.indexOf(own) : null,',
    tests: ['app/participation/answers.test.ts'],
  },
  {
    file: 'app/participation/answering.server.ts',
    text: 'note: noted, version:',
    broken: 'note, version:',
    tests: ['e2e/answer-an-event.spec.ts', 'app/participation/answers.test.ts'],
  },
  {
    file: 'app/media/images.server.ts',
    text: `.set(ownerOf(author)).where('name', '=', name)`,
    broken: `.set({ uploadedAt: author.at }).where('name', '=', name)`,
    tests: ['app/card-form/pictures-of-cards.test.ts', 'app/media/uploads.test.ts'],
  },
  {
    file: 'app/media/crop-dialog.tsx',
    text: `  if (box !== 'card') form.append('large', box)
`,
    broken: '',
    tests: ['e2e/upload-a-picture.spec.ts'],
  },
  {
    file: 'app/media/youtube.tsx',
    text: 'https://www.youtube-nocookie.com/embed/',
    broken: 'https://www.youtube.com/embed/',
    tests: ['e2e/visit-the-shop.spec.ts'],
  },
  {
    file: 'app/live/announce.server.ts',
    text: 'if (itsLife !== life || !(before <= count)) return [...topics]',
    broken: 'if (!(before <= count)) return [...topics]',
    tests: ['server/live.test.ts'],
  },
  {
    file: 'app/live/listening.ts',
    text: `        if (navigator.locks) tabs.postMessage(message)
`,
    broken: '',
    tests: ['e2e/live.spec.ts'],
  },
  {
    file: 'app/records/history.server.ts',
    text: 'canReturn: after !== null && !(page === 1 && index === 0),',
    broken: 'canReturn: after !== null && index !== 0,',
    tests: ['app/undo/put-back.test.ts'],
  },
  {
    file: 'app/shop/restaurant.ts',
    text: '(slots.length > 0 ? slots.map(openingHours) : [CLOSED])',
    broken: 'slots.map(openingHours)',
    tests: ['app/site/site-page.test.ts', 'server/app.test.ts', 'app/business-days/business-days-page.test.ts'],
  },
  {
    file: 'app/root.tsx',
    text: 'site: publicFacts(site),',
    broken: 'site,',
    tests: ['app/site/site-page.test.ts', 'server/app.test.ts', 'app/doors.test.ts'],
  },
  {
    file: 'app/business-days/business-day.ts',
    text: 'run && addDays(run.last, 1) === state.day && ',
    broken: 'run && ',
    tests: ['app/business-days/business-days-page.test.ts'],
  },
  {
    file: 'app/shop/scene-slider.tsx',
    text: 'show((shown + step + scenes.length) % scenes.length)',
    broken: 'show((shown + step) % scenes.length)',
    tests: ['e2e/watch-the-slides.spec.ts'],
  },
  {
    file: 'app/shop/slides.ts',
    text: 'text1, text2, alt: text3, linkUrl }',
    broken: 'text1, text2, alt: text2, linkUrl }',
    tests: ['server/app.test.ts'],
  },
  {
    file: 'app/saving/once-key.tsx',
    text: 'if (key && answered.current === answer) return',
    broken: 'if (key) return',
    tests: [
      'e2e/answer-an-event.spec.ts',
      'e2e/write-a-mail.spec.ts',
      'e2e/calendar.spec.ts',
      'e2e/edit-in-two-tabs.spec.ts',
    ],
  },
  {
    file: 'server/handlers/pages.ts',
    text: `  headers.set('cache-control', 'private, no-store')
`,
    broken: '',
    tests: ['app/accounts/cookies.test.ts', 'server/app.test.ts', 'app/accounts/accounts.test.ts'],
  },
  {
    file: 'server/handlers/page-cache.ts',
    text: `  live.listen((news) => {
    if ('changed' in news) forgetAll()
  })
`,
    broken: '',
    tests: ['server/handlers/page-cache.test.ts', 'server/live.test.ts'],
  },
  {
    file: 'server/origin.ts',
    text: `.replace(/^::ffff:(?=\\d+\\.)/i, '')`,
    broken: '',
    tests: [
      'app/accounts/cookies.test.ts',
      'app/accounts/accounts.test.ts',
      'server/app.test.ts',
      'app/mail/mail-page.test.ts',
    ],
  },
  {
    file: 'server/collections/collections-of-members.ts',
    text: 'approved: given.admin === true',
    broken: 'approved: Boolean(given.admin)',
    tests: ['server/collections/collections.test.ts'],
  },
  {
    file: 'server/import/import-reading.ts',
    text: 'return instant && dayInJapan(Date.parse(instant))',
    broken: 'return instant && value.slice(0, 10)',
    tests: ['server/import/import.test.ts'],
  },
  {
    file: 'server/export.ts',
    text: 'author: { id: row.accountId ?? row.nonMemberId, username: row.username },',
    broken: 'author: { id: row.accountId, username: row.username },',
    tests: ['server/import/import.test.ts'],
  },
  {
    file: 'server/nightly-backups.ts',
    text: 'const nights = (await listBackups(dataFolder)).filter(({ night }) => night)',
    broken: 'const nights = await listBackups(dataFolder)',
    tests: ['server/nightly-backups.test.ts'],
  },
  {
    file: 'server/doctor.ts',
    text: '((await stat(file)).mode & 0o077) !== 0',
    broken: '((await stat(file)).mode & 0o007) !== 0',
    tests: ['server/doctor.test.ts'],
  },
  {
    file: 'server/settings.ts',
    text: 'z.string().transform(readOrigin)',
    broken: 'z.string()',
    tests: ['server/settings.test.ts', 'server/app.test.ts'],
  },
  {
    file: 'db/backup-file.ts',
    text: `    if (!last.equals(seal(hash.digest('hex')))) throw new BackupRefused(damaged)
`,
    broken: '',
    tests: ['db/backup.test.ts', 'server/doctor.test.ts'],
  },
  {
    file: 'db/channel.ts',
    text: `    if (again) hearing?.missed()
`,
    broken: '',
    tests: ['server/live.test.ts'],
  },
  {
    file: 'db/backup.ts',
    text: `{ flags: 'wx', mode: 0o600, flush: true }`,
    broken: `{ flags: 'wx', flush: true }`,
    tests: ['db/backup.test.ts'],
  },
] satisfies Mutant[]
