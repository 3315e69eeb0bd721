import { type Site, startSite } from '../../scripts/start-site.ts'
import type { Actor } from './actor.ts'
import { openAudit } from './audit.ts'
import { noneGoal, type TrialOptions, type TrialResult } from './goals.ts'
import { addCard } from './operations.ts'
import { send } from './requests.ts'
import { openSiteCopy, type SiteCopy } from './site-copy.ts'
import { openWorkload } from './workload.ts'

const WRITE_DURATION_MS = 2500

/**
 * Runs two processes on one PostgreSQL. People write to both processes. Two saves of the same card run at once. Several
 * people register at once as the first member.
 */
export async function two({ runs = 4, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  if (!selectedEngines.includes('PostgreSQL')) return []
  const audit = openAudit()
  const errors: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const copy = await openSiteCopy('PostgreSQL')
    const start = () => startSite(copy.settings, { folder: copy.folder })
    const [first, second] = await Promise.all([start(), start()])
    const workload = openWorkload(copy, seed + run)
    await workload.runEach(first.address)
    await Promise.all([first, second].map(({ address }) => workload.writeFor(address, WRITE_DURATION_MS)))
    errors.push(...(await saveConcurrently([first, second], workload.actors.administrator)))
    for (const { address } of [first, second]) await audit.check(copy, workload.log, { run: `run ${run}`, address })
    errors.push(...(await registerConcurrently(copy, [first, second])))
    audit.close(workload.log)
    await Promise.all([first.stop(), second.stop()])
    await copy.close()
  }
  // Two changes of the same version of the week have the same marker, so the marker of a rejected change may be
  // present.
  const goals = [...audit.goals({ denied: false }), noneGoal('lost updates or additional first administrators', errors)]
  return [{ label: 'PostgreSQL, two processes', runs, goals, operations: audit.operations() }]
}

// Sends two saves of one version that change the same field. One save must succeed, and the other save must have a
// conflict.
async function saveConcurrently(sites: Site[], actor: Omit<Actor, 'address'>) {
  await addCard({ ...actor, address: sites[0]?.address ?? '' })
  const card = actor.cards.pop()
  if (!card) return ['no card to save twice']
  const save = ({ address }: Site, index: number) =>
    send(address, `/firestoreservice/${card.id}/edit`, {
      cookie: actor.cookies.administrator,
      form: {
        intent: 'save',
        version: `${card.version}`,
        once: crypto.randomUUID(),
        title: `どちらか${index}`,
        content: '中身',
      },
    })
  const statuses = (await Promise.all(sites.map(save))).map((reply) => reply?.status)
  return statuses.toSorted().join() === '302,409'
    ? []
    : [`two saves of one version: got ${statuses.join()}, expected 302 and 409`]
}

// On a site without members, a new member becomes the administrator. Concurrent registrations must create only one
// administrator.
async function registerConcurrently({ withDatabase, cookies }: SiteCopy, sites: Site[]) {
  await withDatabase(async (db) => {
    await db.deleteFrom('answers').execute()
    await db.deleteFrom('members').execute()
    await db.deleteFrom('revisions').where('subject', '=', 'member').execute()
    await db.deleteFrom('marks').where('name', '=', 'first administrator').execute()
  })
  const sample = '試し'
  const profile = {
    profile: sample,
    tennisExperience: sample,
    racquetUsed: sample,
    favoriteShot: sample,
    strengths: sample,
  }
  const opinions = { strengthsWeaknesses: sample, struggles: sample, playerStyle: sample, tennisPhilosophy: sample }
  const details = { mainAchievements: sample, hobbiesSkills: sample, address: sample, tel_num: '075-000-0000' }
  const register = (cookie: string, index: number) =>
    send(sites[index % sites.length]?.address ?? '', '/api/collections/members', {
      cookie,
      json: {
        ...profile,
        ...opinions,
        ...details,
        username: `最初${index}`,
        accountname: `f${index}`,
        email: `f${index}@example.jp`,
      },
    })
  const people = ['signedIn', 'applicant', 'approved', 'administrator'] as const
  const replies = await Promise.all(people.map((person, index) => register(cookies[person], index)))
  const refused = replies.filter((reply) => reply?.status !== 201)
  const first = await withDatabase((db) =>
    db.selectFrom('members').select('id').where('administrator', '=', true).execute(),
  )
  return [
    ...refused.map((reply) => `registration failed: status ${reply?.status}: ${reply?.body.slice(0, 100)}`),
    ...(first.length === 1 ? [] : [`${first.length} first administrators`]),
  ]
}
