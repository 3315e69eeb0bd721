import type { Mutant } from '../scripts/mutants.ts'

const newKind = 'app/records/new-kind.test.ts'
const putBack = 'app/undo/put-back.test.ts'
const cards = 'app/cards/cards.server.test.ts'
const events = 'app/calendar/events.server.test.ts'
const hours = 'app/business-days/business-days.server.test.ts'
const site = 'app/site/site.server.test.ts'
const members = 'app/members/registration.server.test.ts'
const bin = 'app/bin/bin-page.test.ts'
const doors = 'app/doors.test.ts'

const of = (file: string, tests: string[], ...breaks: [text: string, broken: string][]): Mutant[] =>
  breaks.map(([text, broken]) => ({ file, text, broken, tests }))

export default [
  ...of('db/lock.ts', [cards, events, hours, site], ['if (isPostgres(trx)) await', 'if (!isPostgres(trx)) await']),
  ...of(
    'app/records/records.server.ts',
    [newKind, cards, events, hours, site],
    ['await lock(trx, `${kind.subject} ${id}`)\n', ''],
    ['return there(await lockRow(trx, kind, id))', 'return lockRow(trx, kind, id)'],
    ['version: (last?.version ?? 0) + 1 }', 'version: 1 }'],
    ['version: before.version + 1 }', 'version: before.version }'],
    ['...before, updatedAt: save.at, ...changed', '...before, ...changed'],
    ['  await keep(trx, kind, null, row, save)\n', ''],
    ['  await keep(trx, kind, before, after, save)\n', ''],
    ['  await keep(trx, kind, before, null, save)\n', ''],
    ['const [before, after] = [there(was), there(is)]', 'const [before, after] = [was, is]'],
    ['const version = is?.version ?? (was?.version ?? 0) + 1', 'const version = is?.version ?? was?.version ?? 0'],
    ['return row?.deletedAt ? null : row', 'return row'],
  ),
  ...of(
    'app/undo/undo.server.ts',
    [newKind, cards, events, hours, site],
    ['const [first, last] = [of[0], of.at(-1)]', 'const [first, last] = [of[0], of[0]]'],
    ['row?.version ?? (await lastRevision(trx, kind.subject, first.subjectId))?.version', 'last.version'],
    ['if (version !== last.version) throw new ChangedSince()\n', ''],
    ['return changes.length > 0 ? save.id : null', 'return save.id'],
    ['if (revision?.subject !== kind.subject || !revision.after) return null', 'if (!revision?.after) return null'],
    ['|| !revision.after) return null', ') return null'],
    ['if (there(row) || !last?.before || last.after) return null', 'if (!last?.before) return null'],
    ['{ deletedAt: null } : {}', '{} : {}'],
    ['else if (now) await remove(trx, kind, now, save)\n', ''],
  ),
  ...of(
    'app/records/merge.ts',
    [newKind, cards, events, hours, site],
    ['!same(name, now, mine) && !same(name, base, mine)', '!same(name, now, mine)'],
    ['!same(name, now, mine) && !same', '!same'],
    ['clashes: changed.filter((name) => !same(name, base, now))', 'clashes: []'],
  ),
  ...of(
    'app/records/records.server.ts',
    [members, 'app/members/members.test.ts', putBack],
    ['await kind.guard?.(trx, there(before), there(after), save)\n', ''],
  ),
  ...of(
    'app/undo/undo.server.ts',
    [members, 'app/members/members.test.ts', putBack],
    ['  await follow(trx, kind, there(now), there(row))\n', ''],
    ['...Object.fromEntries(fixed), ', ''],
    ['if (!then) return null\n', ''],
  ),
  ...of(
    'app/records/revisions.server.ts',
    [newKind, putBack, bin, site, hours, 'server/live.test.ts'],
    ['  noteChange(trx, topic)\n', ''],
    ['if (!(Number.isInteger(version) && version > 0 && version < 2 ** 31)) return null', ''],
    ["    .where('version', '=', version)\n", ''],
  ),
  ...of(
    'app/records/history.server.ts',
    [newKind, putBack, bin, site, hours, 'server/live.test.ts'],
    ['canReturn: after !== null && !(page === 1 && index === 0)', 'canReturn: after !== null'],
    ['returns.includes(action) || (!before && version > 1)', 'returns.includes(action)'],
  ),
  ...of(
    'app/records/history.server.ts',
    [putBack, newKind],
    ['kind.refusal(visitor, rule, last.after ?? last.before)', 'false'],
  ),
  ...of(
    'app/undo/undo-page.tsx',
    [newKind, putBack, doors, 'app/card-form/card-pages.test.ts'],
    ['if (sentence) return refused', 'if (sentence && false) return refused'],
    ['if (!record) return answer(404,', 'if (!record) return answer(200,'],
    ['for (const { kind, row } of records) {', 'for (const { kind, row } of records.slice(0, 1)) {'],
    ['const put = revisionId ?', 'const put = saveId ?'],
  ),
  ...of(
    'app/bin/bin-page.tsx',
    [bin, newKind],
    ['if (own) return refused(visitor, own, intent)\n', ''],
    ['if (!last?.before || last.after) return answer(404, { trouble: GONE })\n', ''],
  ),
  ...of(
    'app/bin/bin.server.ts',
    [bin, newKind],
    [".where('after', 'is', null)\n", ''],
    [".where('at', '>=', since)\n", ''],
    [".whereRef('later.subjectId', '=', 'deletion.subjectId')\n", ''],
    [".whereRef('later.version', '>', 'deletion.version')", ".whereRef('later.version', '>=', 'deletion.version')"],
    ["    .orderBy('at', 'desc')\n", ''],
    ['    .offset((shown - 1) * PAGE)\n', ''],
    ['{ [kind.scope]: scope }', '{}'],
    ["eb(scope, 'is not distinct from', group.scope)", "eb('subject', '=', group.subject)"],
    ['Math.min(Math.max(1, page), pages)', 'Math.max(1, page)'],
  ),
  ...of(
    'app/members/member-record.server.ts',
    [members, putBack],
    ['now.deletedAt ? null :', 'now.deletedAt === undefined ? null :'],
    ['now.accountId === null ? 0 : then.administrator', 'then.administrator'],
    ["fixed: ['accountId', 'nonMemberId', 'birthday', 'realname'],", ''],
  ),
  ...of(
    'app/members/member-record.server.ts',
    ['app/members/members.test.ts', putBack],
    ['await announceApproval(trx, before, after, tellingOf(context))\n', ''],
    ['if (before?.accountId && !after) await endSessions(trx, before.accountId)\n', ''],
  ),
  ...of(
    'app/cards/card-record.server.ts',
    ['app/card-form/card-pages.test.ts'],
    ["...(soldOutAt && { 本日売り切れ: 'はい' }),", ''],
  ),
  ...of('app/kinds.server.ts', [bin, doors], ['  specialDayRecord,\n', ''], ['  eventRecord,\n', '']),
] satisfies Mutant[]
