import type { Mutant } from '../scripts/mutants.ts'

const cards = 'app/cards/cards.server.ts'
const cardsTests = ['app/cards/cards.server.test.ts']
const saving = 'app/card-form/card-saving.server.ts'
const savingTests = ['app/card-form/card-pages.test.ts']
const arranging = 'app/card-form/arranging.server.ts'
const arrangingTests = ['app/shop/dining-page.test.ts']
const pictures = 'app/media/images.server.ts'
const picturesTests = ['app/card-form/pictures-of-cards.test.ts']
const uploads = 'app/media/serve.server.ts'
const uploadsTests = ['app/media/uploads.test.ts']
const outbox = 'app/mail/outbox.server.ts'
const outboxTests = ['app/mail/outbox.server.test.ts']
const messages = 'app/mail/messages.server.ts'
const messagesTests = ['app/mail/mail-page.test.ts']
const inbox = 'app/mail/inbox.server.ts'
const inboxTests = ['app/mail/inbox.test.ts']
const answers = 'app/participation/answers.server.ts'
const answering = 'app/participation/answering.server.ts'
const answersTests = ['app/participation/answers.test.ts']
const notices = 'app/participation/event-notices.server.ts'
const noticesTests = ['app/participation/event-notices.server.test.ts']
const eventHitsTests = ['app/participation/event-hits.test.ts']
const once = 'app/saving/once.server.ts'
const onceTests = ['app/saving/once.server.test.ts']
const _revisions = 'app/records/revisions.server.ts'
const _bin = 'app/bin/bin-page.tsx'
const _binTests = ['app/bin/bin-page.test.ts']
const announce = 'app/live/announce.server.ts'
const stream = 'app/live/stream.server.ts'
const liveTests = ['server/live.test.ts']
const collectionsTests = ['server/collections/collections.test.ts']
const openTests = ['db/open.test.ts']
const sqlite = 'db/sqlite.ts'
const sqliteTests = ['db/sqlite.test.ts']
const postgres = 'db/postgres.ts'
const postgresTests = ['db/postgres.test.ts']
const failure = 'db/failure.ts'
const backupTests = ['db/backup.test.ts']
const nights = 'server/nightly-backups.ts'
const nightsTests = ['server/nightly-backups.test.ts']

export default [
  // The JSON of the collections.
  {
    file: 'server/collections/collections-of-cards.ts',
    text: "if (!(await itemOf(context, seen.id))) return { outcome: 'missing' }",
    broken: '',
    tests: collectionsTests,
  },
  {
    file: 'server/collections/collections-of-cards.ts',
    text: "if (!item) return { outcome: 'missing' }\n      const own",
    broken: "if (!item) return { outcome: 'newer' }\n      const own",
    equal: 'of what is not there it is said that it is missing, also where it is said to be newer',
  },
  {
    file: 'server/collections/collections.ts',
    text: "c.header('cache-control', 'private, no-store')",
    broken: '',
    tests: collectionsTests,
  },
  {
    file: 'server/collections/collections-of-calendar.ts',
    text: "typeof given.id === 'string' && UUID.test(given.id)",
    broken: "typeof given.id === 'string'",
    tests: collectionsTests,
  },
  {
    file: 'server/collections/collections-of-calendar.ts',
    text: "typeof given.id === 'string' && UUID.test(given.id)",
    broken: 'UUID.test(given.id as string)',
    tests: collectionsTests,
  },
  {
    file: 'server/collections/collections-of-calendar.ts',
    text: '? given.id : crypto.randomUUID()',
    broken: '? crypto.randomUUID() : crypto.randomUUID()',
    tests: collectionsTests,
  },

  // Cards.
  { file: cards, text: 'await holdPictures(trx, row)', broken: '', tests: cardsTests },
  { file: cards, text: 'draft: given.draft ? 1 : 0,', broken: 'draft: 0,', tests: cardsTests },
  { file: cards, text: 'await holdPictures(trx, changes)', broken: '', tests: cardsTests },
  {
    file: cards,
    text: 'if (row.version !== (await versionSeen(trx, cardRecord, seen, author)))',
    broken: 'if (false)',
    tests: cardsTests,
  },
  {
    file: cards,
    text: 'if (!row || row.order === order) continue',
    broken: 'if (!row) continue',
    tests: cardsTests,
  },
  {
    file: cards,
    text: 'soldOutAt: soldOut ? author.at : null',
    broken: 'soldOutAt: author.at',
    tests: cardsTests,
  },

  // The forms of cards.
  { file: saving, text: '{ drafts: true }', broken: '{ drafts: false }', tests: savingTests },
  { file: saving, text: 'order ?? 0)) + 1 }', broken: 'order ?? 0)) }', tests: savingTests },
  {
    file: saving,
    text: 'if (sees) return',
    broken: 'if (item && rights) return',
    tests: savingTests,
  },
  {
    file: saving,
    text: '  if (!mayEdit) return { status: visitor ? 403 : 401, trouble: refusal, signIn: !visitor, values }\n',
    broken: '',
    tests: savingTests,
  },
  {
    file: saving,
    text: 'const saved = await once(db, sending, async (trx): Promise<Saved> => {',
    broken: "const saved = await once(db, { ...sending, key: '' }, async (trx): Promise<Saved> => {",
    tests: savingTests,
  },
  {
    file: saving,
    text: "if (sent('confirmed') !== 'yes')",
    broken: 'if (false)',
    tests: savingTests,
  },
  {
    file: arranging,
    text: 'if (!mayEditCollection(visitor, collection, site)) {',
    broken: 'if (!visitor) {',
    tests: arrangingTests,
  },
  {
    file: arranging,
    text: 'once(db, sending, (trx) => reorderCards(trx, collection, order, author))',
    broken: 'reorderCards(db, collection, order, author)',
    tests: arrangingTests,
  },
  { file: arranging, text: 'up ? -1 : 1', broken: 'up ? 1 : -1', tests: arrangingTests },
  {
    file: arranging,
    text: "const soldOut = intent === 'sold out'",
    broken: 'const soldOut = true',
    tests: arrangingTests,
  },

  // Pictures.
  {
    file: pictures,
    text: '.set(ownerOf(author))',
    broken: '.set({ accountId: author.accountId })',
    tests: picturesTests,
  },
  {
    file: pictures,
    text: '{widest} `).update(bytes)',
    broken: "{''} `).update(bytes)",
    tests: uploadsTests,
  },
  {
    file: pictures,
    text: "countAttempt(db, 'upload', { account: author.accountId,",
    broken: "countAttempt(db, 'upload', { account: 'anyone',",
    tests: uploadsTests,
  },
  {
    file: pictures,
    text: "if (stored.outcome === 'refused') return stored.message",
    broken: "if (stored.outcome === 'refused') return null",
    tests: picturesTests,
  },
  { file: pictures, text: 'form.set(into, stored.url)', broken: '', tests: picturesTests },
  {
    file: pictures,
    text: 'const held = await hold(trx, name)',
    broken: "const held = await trx.selectFrom('pictures').select('name').where('name', '=', name).executeTakeFirst()",
    tests: picturesTests,
  },
  {
    file: pictures,
    text: "if ((await namesInUse(trx, now, name)).has(name)) return 'in use'",
    broken: '',
    tests: picturesTests,
  },
  {
    file: pictures,
    text: "await trx.deleteFrom('pictures').where('name', '=', name).execute()",
    broken: "await trx.deleteFrom('pictures').execute()",
    tests: picturesTests,
  },
  {
    file: pictures,
    text: '...[...sites, ...pages].map(',
    broken: '...pages.map(',
    tests: ['app/shop/access-page.test.ts'],
  },
  {
    file: pictures,
    text: "['card', 'site', 'page']",
    broken: "['card', 'page']",
    tests: ['app/shop/access-page.test.ts'],
  },
  {
    file: pictures,
    text: 'if (name !== undefined && !(await hold(trx, name))) throw new PictureGone(url)',
    broken: '',
    tests: picturesTests,
  },
  {
    file: pictures,
    text: "is('portraitImage', 'like', address)]))\n    .where((is) => is.or([is('deletedAt', 'is', null), is('deletedAt', '>=', since)]))",
    broken: "is('portraitImage', 'like', address)]))\n    .where('deletedAt', 'is', null)",
    equal: 'a card in the bin has its deletion in the history for as long, with its picture in it',
  },
  {
    file: pictures,
    text: "is.or([is('before', 'like', address), is('after', 'like', address)])",
    broken: "is('after', 'like', address)",
    tests: picturesTests,
  },
  {
    file: pictures,
    text: 'before(now, LEFTOVERS_KEPT_FOR)',
    broken: 'before(now, HOUR)',
    tests: picturesTests,
  },
  {
    file: pictures,
    text: '!used.has(name) && ',
    broken: '',
    equal: 'whether it is used is looked at again under the lock; this only spares the lock',
  },
  {
    file: uploads,
    text: 'if (bytes.length > MOST_BYTES) return refuse(413, TOO_LARGE)',
    broken: '',
    tests: uploadsTests,
  },
  {
    file: uploads,
    text: 'if (bytes.length > MOST_BYTES)',
    broken: 'if (bytes.length >= MOST_BYTES)',
    tests: uploadsTests,
  },
  {
    file: uploads,
    text: '{ most: PICTURE_FORM, address }',
    broken: '{ most: 2 * PICTURE_FORM, address }',
    tests: uploadsTests,
  },
  { file: uploads, text: "if (outcome === 'in use') {", broken: 'if (false) {', tests: picturesTests },

  // Mail.
  { file: outbox, text: 'onceKey: onceKey ?? null,', broken: 'onceKey: null,', tests: outboxTests },
  {
    file: outbox,
    text: "recipient: typeof to === 'string' ? null : to.recipient,",
    broken: "recipient: typeof to === 'string' ? null : 'shop',",
    tests: messagesTests,
  },
  {
    file: outbox,
    text: "state: 'waiting', attempts: 0, dueAt: at",
    broken: 'attempts: 0, dueAt: at',
    tests: outboxTests,
  },
  { file: outbox, text: "'waiting', attempts: 0, dueAt", broken: "'waiting', dueAt", tests: outboxTests },
  {
    file: outbox,
    text: 'dueAt: at, trouble: null, waitingSince',
    broken: 'trouble: null, waitingSince',
    tests: outboxTests,
  },
  { file: outbox, text: 'trouble: null, waitingSince: at })', broken: 'trouble: null })', tests: outboxTests },
  {
    file: outbox,
    text: ".where('id', '=', id)\n    .where((is) =>",
    broken: '.where((is) =>',
    tests: outboxTests,
  },
  {
    file: outbox,
    text: "is('state', 'in', ['filed', 'failed'])",
    broken: "is('state', 'in', ['failed'])",
    tests: outboxTests,
  },
  {
    file: outbox,
    text: "is.and([is('state', '=', 'waiting'), is('trouble', 'is not', null)])",
    broken: "is('state', '=', 'waiting')",
    tests: messagesTests,
  },
  { file: outbox, text: ".where('dueAt', '<=', iso(now))", broken: '', tests: outboxTests },
  {
    file: outbox,
    text: 'query.forUpdate().skipLocked()',
    broken: 'query',
    tests: outboxTests,
  },
  { file: outbox, text: 'query.forUpdate().skipLocked()', broken: 'query.forUpdate()', tests: outboxTests },
  { file: outbox, text: 'dueAt: iso(now + TRY_LASTS), trouble', broken: 'trouble', tests: outboxTests },
  {
    file: outbox,
    text: "state: givenUp ? 'failed' : 'waiting', dueAt",
    broken: "state: 'failed', dueAt",
    tests: outboxTests,
  },
  {
    file: outbox,
    text: "const words = mail.about ? {} : { text: '', html: '' }",
    broken: 'const words = {}',
    tests: outboxTests,
  },
  {
    file: outbox,
    text: "const words = mail.about ? {} : { text: '', html: '' }",
    broken: "const words = { text: '', html: '' }",
    tests: outboxTests,
  },
  { file: outbox, text: "\n    .where('about', 'is', null)", broken: '', tests: outboxTests },
  { file: outbox, text: "\n    .where('doneAt', '<', iso(now - NOTICES_KEPT_FOR))", broken: '', tests: outboxTests },
  {
    file: messages,
    text: "if (await countAttempt(trx, 'message', arrival)) throw new TooMany()",
    broken: "if (await countAttempt(trx, 'message', arrival)) return 'too many' as const",
    tests: messagesTests,
  },
  {
    file: 'app/attempts.server.ts',
    text: "...(limit.site ? [{ who: 'site', most: limit.site }] : []),",
    broken: '',
    tests: messagesTests,
  },
  {
    file: messages,
    text: ".where('readAt', readAt === null ? 'is not' : 'is', null)",
    broken: '',
    tests: messagesTests,
  },
  {
    file: messages,
    text: '.set({ spam: 0, expiresAt: null, readAt: act.at })',
    broken: '.set({ spam: 0, expiresAt: null })',
    tests: messagesTests,
  },
  {
    file: messages,
    text: "      doneAt: fn.coalesce('doneAt', val(at)),\n",
    broken: '',
    tests: inboxTests,
  },
  {
    file: messages,
    text: "      readAt: fn.coalesce('readAt', val(at)),\n",
    broken: '',
    tests: inboxTests,
  },
  { file: messages, text: 'if (marked) noteChange(', broken: 'noteChange(', tests: inboxTests },
  {
    file: inbox,
    text: "const all = messages.where('spam', '=', 0)",
    broken: 'const all = messages',
    tests: inboxTests,
  },
  { file: inbox, text: ".replace(/[\\\\%_]/g, '\\\\$&')", broken: '', tests: inboxTests },
  { file: inbox, text: '.split(/\\s+/)', broken: ".split('\\n')", tests: inboxTests },
  { file: 'app/ui/comparable.ts', text: 'foldWidth(text)', broken: 'text', tests: inboxTests },
  ...[
    [".replace(/\\p{Default_Ignorable_Code_Point}/gu, '')\n", ''],
    ['+ 0x60', '+ 0'],
    ['usual.get(variant) ?? variant', 'variant'],
  ].map(([text = '', broken = '']) => ({
    ...{ file: 'app/ui/comparable.ts', text, broken },
    tests: ['server/folded-search.test.ts'],
  })),
  ...[
    [".replace(/\\p{Cs}/gu, '\\ufffd')\n", ''],
    [".replace(/[\\t\\u00a0]/g, ' ')\n", ''],
    [".replace(UNSEEN, '')\n", ''],
    [".replace(EDGES, '')", ''],
    ["COMPOSED, (run) => normalize(run, 'NFC')", "/[^]+/gu, (run) => normalize(run, 'NFC')"],
    ["/^[^/]*[！-～]/.test(url) ? normalize(url, 'NFKC') : url", 'url'],
    [".replace(/[\\u2010-\\u2015\\u2212\\u30fc]/g, '-')", ''],
    ['isBlank(value) ? null : Number', 'Number'],
  ].map(([text = '', broken = '']) => ({
    ...{ file: 'app/ui/typed-text.ts', text, broken },
    tests: ['server/typed-strings.test.ts'],
  })),
  {
    file: 'app/mail/inbox-page.tsx',
    text: 'if (!sends) return answer(409, { trouble: SENDS_NOTHING })',
    broken: '',
    tests: inboxTests,
  },
  {
    file: 'app/mail/inbox-page.tsx',
    text: "...(answersThere ? [] : ['reply'])",
    broken: '',
    tests: inboxTests,
  },
  {
    file: 'app/mail/inbox-view.ts',
    text: '...(sought && { q: sought }),',
    broken: '',
    tests: inboxTests,
  },
  {
    file: 'app/mail/reply-link.ts',
    text: 'MOST - start.length',
    broken: 'MOST',
    tests: ['app/mail/reply-link.test.ts'],
  },
  {
    file: 'app/mail/reply-link.ts',
    text: '.map((line) => `> ${line}`)',
    broken: '',
    tests: ['app/mail/reply-link.test.ts'],
  },
  {
    file: 'db/migrations/0022-messages-done.ts',
    text: "last = rows.at(-1)?.id ?? ''",
    broken: 'break',
    tests: inboxTests,
  },
  {
    file: 'app/frame/work.server.ts',
    text: ' && (!page || isOpen(pages, page, visitor))',
    broken: '',
    tests: ['app/frame/work-bar.test.ts'],
  },
  {
    file: messages,
    text: 'if (!isHeld) await enqueueMessage',
    broken: 'await enqueueMessage',
    tests: messagesTests,
  },
  {
    file: messages,
    text: "owner: 'mail form', form: 'mail', key: arrival.key",
    broken: "owner: 'mail form', key: ''",
    tests: messagesTests,
  },
  {
    file: messages,
    text: 'act: Act) {\n  if (!mayReadInbox(visitor)) return false',
    broken: 'act: Act) {',
    tests: messagesTests,
  },
  { file: messages, text: "\n      .where('expiresAt', '>', act.at)", broken: '', tests: inboxTests },
  {
    file: messages,
    text: "arrival.spam || (await countAttempt(trx, 'mailedMessage', arrival)) !== null",
    broken: 'arrival.spam',
    tests: messagesTests,
  },
  {
    file: messages,
    text: "arrival.spam || (await countAttempt(trx, 'mailedMessage', arrival)) !== null",
    broken: "(await countAttempt(trx, 'mailedMessage', arrival)) !== null || arrival.spam",
    tests: messagesTests,
  },
  {
    file: messages,
    text: "if (isHeld && (await countAttempt(trx, 'heldMessage', arrival))) throw new TooMany()",
    broken: '',
    tests: messagesTests,
  },
  {
    file: 'app/attempts.server.ts',
    text: 'heldMessage: { network: 10, site: 500,',
    broken: 'heldMessage: { site: 500,',
    tests: messagesTests,
  },
  {
    file: messages,
    text: 'if (!(await mails.executeTakeFirst())) await enqueueMessage',
    broken: 'await enqueueMessage',
    tests: inboxTests,
  },
  {
    file: messages,
    text: "\n      .where((is) => is.or([is('attempts', '=', 0), is('trouble', 'is not', null)]))",
    broken: '',
    tests: inboxTests,
  },
  { file: messages, text: ", is('trouble', 'is not', null)]))", broken: ']))', tests: inboxTests },
  {
    file: messages,
    text: "\n      .where('id', 'not in', trx.selectFrom('messageReplies').select('messageId'))",
    broken: '',
    tests: inboxTests,
  },
  {
    file: messages,
    text: 'expiresAt: heldUntil(at), readAt: null',
    broken: 'expiresAt: heldUntil(at)',
    tests: inboxTests,
  },
  { file: messages, text: "deleted ? '>' : '<='", broken: "'!='", tests: inboxTests },
  {
    file: messages,
    text: "if (marked.length > 0) noteChange(trx, 'messages')\n    return",
    broken: 'return',
    tests: inboxTests,
  },
  { file: messages, text: 'now - RESTORABLE_FOR_MS', broken: 'now', tests: inboxTests },
  {
    file: messages,
    text: "    await trx.deleteFrom('outbox').where('about', 'in', expired).execute()\n",
    broken: '',
    tests: inboxTests,
  },
  { file: messages, text: '      spam: 0 as const,\n', broken: '', tests: inboxTests },
  { file: inbox, text: ".where('expiresAt', '>', now)", broken: '', tests: inboxTests },
  {
    file: 'app/mail/inbox-page.tsx',
    text: ".split(' '))",
    broken: ')',
    tests: inboxTests,
  },
  {
    file: messages,
    text: 'if (!mayReadInbox(visitor)) return false\n  await tryAgain',
    broken: 'await tryAgain',
    tests: messagesTests,
  },
  {
    file: messages,
    text: 'if (!visitor || !mayReadInbox(visitor)) return null',
    broken: 'if (!visitor) return null',
    tests: messagesTests,
  },
  {
    file: messages,
    text: 'const replyTo = answersGoTo(readers, message, visitor)',
    broken: 'const replyTo = null',
    tests: messagesTests,
  },
  {
    file: messages,
    text: 'once(db, { owner: visitor.accountId, form: `reply ${id}`, key, at }',
    broken: "once(db, { owner: visitor.accountId, key: '', at }",
    tests: messagesTests,
  },
  { file: inbox, text: "\n    .where('trouble', 'is not', null)", broken: '', tests: messagesTests },
  { file: inbox, text: "\n    .where('about', 'is', null)", broken: '', tests: messagesTests },

  // Answers to events, and what members are told of them.
  {
    file: answers,
    text: ".where('deletedAt', 'is', null)\n    .where((eb)",
    broken: '.where((eb)',
    tests: answersTests,
  },
  {
    file: answers,
    text: "    .where((eb) => eb.or([eb('admin', '=', 1), eb('administrator', '=', 1)]))\n",
    broken: '',
    tests: answersTests,
  },
  {
    file: answers,
    text: "if ((before?.version ?? 0) !== version) return { outcome: 'newer' }",
    broken: '',
    tests: answersTests,
  },
  { file: answers, text: "if (isOver(event, today)) return { outcome: 'over' }", broken: '', tests: answersTests },
  {
    file: answers,
    text: ".deleteFrom('answers')\n        .where((row) => row.and(theirs))",
    broken: ".deleteFrom('answers')",
    tests: answersTests,
  },
  { file: answers, text: 'if (before || after) {', broken: 'if (after) {', tests: answersTests },
  { file: answers, text: 'if (before || after) {', broken: 'if (before) {', tests: answersTests },
  { file: answers, text: 'if (before || after) {', broken: 'if (true) {', tests: answersTests },
  {
    file: answers,
    text: 'if (before?.answer === answer) return { ...before, ...changed }',
    broken: '',
    tests: answersTests,
  },
  {
    file: answers,
    text: 'turn: (last?.turn ?? 0) + 1,',
    broken: 'turn: before?.turn ?? (last?.turn ?? 0) + 1,',
    tests: answersTests,
  },
  {
    file: answering,
    text: 'if (!visitor.member || !mayAnswer(visitor))',
    broken: 'if (!visitor.member)',
    tests: answersTests,
  },
  {
    file: answering,
    text: "key: sent('once').slice(0, 64)",
    broken: "key: ''",
    tests: answersTests,
  },
  {
    file: notices,
    text: 'if (event.updatedAt > settled || event.version <= told.toldVersion) return',
    broken: 'if (event.updatedAt > settled) return',
    equal: 'between a version and itself nothing differs, and of what differs not nobody is told',
  },
  {
    file: notices,
    text: ".doUpdateSet((row) => ({ eventId: row.ref('excluded.eventId') }))",
    broken: '.doNothing()',
    tests: noticesTests,
  },
  {
    file: notices,
    text: '.set({ toldVersion: event.version })',
    broken: '.set({ toldVersion: told.toldVersion })',
    tests: noticesTests,
  },
  {
    file: notices,
    text: 'if (event.deletedAt || reminded === last) return',
    broken: 'if (event.deletedAt) return',
    tests: noticesTests,
  },
  {
    file: notices,
    text: "    .where('deletedAt', 'is', null)\n    .where((eb) => eb.or",
    broken: '    .where((eb) => eb.or',
    tests: noticesTests,
  },
  {
    file: notices,
    text: "answered === 'has answered' ? 'in' : 'not in'",
    broken: "'in'",
    tests: noticesTests,
  },
  {
    file: notices,
    text: "eb.or([eb('attendance', '=', 1), eb.exists(answers)])",
    broken: "eb('attendance', '=', 1)",
    tests: eventHitsTests,
  },
  {
    file: notices,
    text: 'if (was === 0 && is > 0) return',
    broken: 'if (is > 0) return',
    tests: eventHitsTests,
  },
  {
    file: notices,
    text: 'after !== null && (JSON.parse(after) as Event).day >= today',
    broken: 'after !== null',
    tests: eventHitsTests,
  },
  {
    file: 'app/cards/allergens.ts',
    text: 'if (allergensConfirmed) return',
    broken: 'if (allergensConfirmed || !names) return',
    tests: ['app/cards/allergens.test.ts'],
  },
  {
    file: 'app/pages/pages.server.ts',
    text: 'id === null || isOpen(pages, id, visitor)',
    broken: 'id === null || pages.length > 0',
    tests: ['app/cards/hidden-page-links.test.ts'],
  },
  {
    file: notices,
    text: 'if (minuteInJapan(now) < WAKES_AT || !(await isCircleOn(telling.db))) return',
    broken: 'if (!(await isCircleOn(telling.db))) return',
    tests: noticesTests,
  },

  // What everything that is saved goes through.
  { file: once, text: '.onConflict((already) => already.doNothing())', broken: '', tests: onceTests },
  {
    file: once,
    text: ".select('result')\n        .where((row) => row.and({ owner, key }))",
    broken: ".select('result')\n        .where((row) => row.and({ key }))",
    tests: onceTests,
  },
  {
    file: once,
    text: '.set({ result: JSON.stringify(result ?? null) })\n      .where((row) => row.and({ owner, key }))',
    broken: '.set({ result: JSON.stringify(result ?? null) })\n      .where((row) => row.and({ key }))',
    tests: onceTests,
  },
  {
    file: once,
    text: ".deleteFrom('onceKeys').where('at', '<', expired)",
    broken: ".deleteFrom('onceKeys').where('at', '<', at)",
    tests: onceTests,
  },

  // What is told of it at once.
  {
    file: announce,
    text: 'endStreamsOf: (account: string) => tellEveryone({ account }),',
    broken: 'endStreamsOf: (account: string) => tell({ account }),',
    tests: liveTests,
  },
  ...[
    ['if (was) openIn', 'if (!was) openIn'],
    ['openIn.change(stream.network, 1)', ''],
    ['openIn.of(network) >= perNetwork', 'openIn.of(network) > perNetwork'],
    ['open.size >= most', 'open.size > most'],
    ['.filter((topic) => heard.includes(topic)))\n', ')\n'],
    ['room: full === null', 'room: true'],
    ["if (live.isClosing()) return text('Come again later', 503, { 'retry-after': '10' })\n", ''],
  ].map(([text = '', broken = '']) => ({ file: stream, text, broken, tests: liveTests })),
  { file: stream, text: 'void check(stream)\n      }\n      return', broken: '}\n      return', tests: liveTests },
  { file: 'app/network.ts', text: 'if (now > 0) counts', broken: 'if (now > 200) counts', tests: liveTests },
  {
    file: stream,
    text: "if (changed.includes('members')) for",
    broken: 'if (changed.length === 0) for',
    tests: liveTests,
  },
  {
    file: stream,
    text: 'stream.visitor?.accountId === news.account) void check(stream)',
    broken: 'stream.visitor) end(stream)',
    tests: liveTests,
  },
  {
    file: stream,
    text: 'asked.filter((topic) => mayHear(visitor, topic))',
    broken: 'asked.filter(() => true)',
    tests: liveTests,
  },

  // The database.
  { file: sqlite, text: "onlyReads ? 'begin' : 'begin immediate'", broken: "'begin'", tests: sqliteTests },
  { file: sqlite, text: 'if (onlyReads && openReader) {', broken: 'if (false) {', tests: sqliteTests },
  { file: sqlite, text: 'kept.get(text) ?? database', broken: 'database', tests: openTests },
  { file: sqlite, text: 'kept.delete(text)', broken: '', tests: openTests },
  { file: sqlite, text: 'kept.size <= MOST_STATEMENTS', broken: 'true', tests: openTests },
  {
    file: sqlite,
    text: 'const { leave, until } = await turn()',
    broken: 'const { leave, until } = { leave: () => {}, until: performance.now() + PATIENCE_MS }',
    tests: sqliteTests,
  },
  {
    file: sqlite,
    text: '(until, () => writing.prepare(onlyReads',
    broken: '(performance.now() + PATIENCE_MS, () => writing.prepare(onlyReads',
    tests: sqliteTests,
  },
  { file: sqlite, text: 'performance.now() + ms > until', broken: 'false', tests: sqliteTests },
  {
    file: sqlite,
    text: '!isLocked(error) || performance.now()',
    broken: 'true || performance.now()',
    tests: sqliteTests,
  },
  { file: sqlite, text: 'if (reading && onlyReads(reading, query))', broken: 'if (false)', tests: sqliteTests },
  { file: sqlite, text: 'if (this.#held?.handle.database.inTransaction) ', broken: '', tests: sqliteTests },
  { file: sqlite, text: "error.code === 'SQLITE_IOERR_FSYNC'", broken: 'false', tests: sqliteTests },
  {
    file: sqlite,
    text: "writer.pragma('foreign_keys = ON')",
    broken: '',
    equal: 'the SQLite that comes with the packages has them on; the test of the pragmas sees if a later one has not',
  },
  { file: postgres, text: "pool.on('error', () => {})", broken: '', tests: openTests },
  {
    file: postgres,
    text: "pool.on('connect', (client) => client.on('error', () => {}))",
    broken: '',
    tests: postgresTests,
  },
  { file: postgres, text: 'lock_timeout: 5000', broken: 'lock_timeout: 9000', tests: postgresTests },
  { file: postgres, text: ', onCreateConnection: setTimeouts', broken: '', tests: postgresTests },
  { file: postgres, text: 'Promise.all([sender.', broken: 'Promise.race([sender.', tests: postgresTests },
  {
    file: postgres,
    text: "transaction_read_only === 'on'",
    broken: "transaction_read_only === ''",
    tests: ['server/in-one-sentence.test.ts'],
  },
  { file: postgres, text: 'if (away) throw', broken: 'if (false) throw', tests: postgresTests },
  { file: postgres, text: 'for (const socket of sockets) socket.destroy()', broken: '{}', tests: postgresTests },
  { file: postgres, text: 'throw isCut ? new', broken: 'throw false ? new', tests: postgresTests },
  { file: failure, text: 'SQLITE_BUSY|', broken: '', tests: sqliteTests },
  { file: failure, text: '(?:SQLITE_FULL$|', broken: '(?:', tests: sqliteTests },
  { file: failure, text: '55P03$|', broken: '', tests: postgresTests },
  { file: failure, text: '/^Connection terminated|', broken: '/', tests: postgresTests },
  { file: 'db/flush-folder.ts', text: 'await handle.sync()', broken: '', tests: ['db/flush-folder.test.ts'] },
  { file: 'db/flush-folder.ts', text: 'await using', broken: 'const', tests: ['db/flush-folder.test.ts'] },
  { file: 'db/open.ts', text: 'if (newer) throw new Error(newerThanProgram(newer))', broken: '', tests: backupTests },
  { file: 'db/open.ts', text: 'if (applied.length > 0 && next) await', broken: 'if (next) await', tests: backupTests },
  {
    file: 'db/backup.ts',
    text: 'await restoreBackup(part, { file: trial }, progress)',
    broken: '',
    tests: backupTests,
  },
  {
    file: 'db/backup.ts',
    text: 'for (const left of [part, trial,',
    broken: 'for (const left of [part,',
    tests: backupTests,
  },
  {
    file: 'db/restore.ts',
    text: "if (!alike(await sumsOf(trx), sums)) throw new Error('The rows came back changed')",
    broken: '',
    tests: backupTests,
  },
  {
    file: 'db/restore.ts',
    text: 'if (found.length > 0 && !existsSync(place.file)) throw new BackupRefused(notEmpty)',
    broken: '',
    tests: backupTests,
  },
  {
    file: 'db/restore.ts',
    text: 'if ((await appliedMigrations(db)).length > 0 || (await tablesOf(db)).length > 0) throw new BackupRefused(notEmpty)',
    broken: '',
    tests: backupTests,
  },
  {
    file: 'db/restore.ts',
    text: 'for (const { table } of (await tablesOf(trx)).reverse()) await anyTable(trx).deleteFrom(table).execute()',
    broken: '',
    equal: 'no migration so far puts rows into an empty database; one that does would have the rows come back changed',
  },
  {
    file: 'db/rows.ts',
    text: ".setIsolationLevel('repeatable read').setAccessMode('read only')",
    broken: ".setAccessMode('read only')",
    tests: backupTests,
  },

  // The nights.
  {
    file: nights,
    text: '(await listBackups(dataFolder)).findLast(({ night }) => night)',
    broken: '(await listBackups(dataFolder)).at(-1)',
    tests: nightsTests,
  },
  {
    file: 'scripts/backup.ts',
    text: '(await listBackups(dataFolder)).findLast(({ night }) => night)',
    broken: '(await listBackups(dataFolder)).at(-1)',
    tests: nightsTests,
  },
  {
    file: nights,
    text: '(await listBackups(dataFolder)).filter(({ night }) => night)',
    broken: 'await listBackups(dataFolder)',
    tests: nightsTests,
  },
  {
    file: nights,
    text: 'if (now - (await stat(path)).mtimeMs > DAY) await rm(path, { recursive: true })',
    broken: 'await rm(path, { recursive: true })',
    tests: nightsTests,
  },
] satisfies Mutant[]
