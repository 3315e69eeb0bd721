import { type Site, startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { addCard } from './operations.ts'
import { type Asked, none, type Tried } from './goals.ts'
import type { Hand } from './actor.ts'
import { openPlace, type Place } from './site-copy.ts'
import { send } from './requests.ts'
import { openWriter } from './workload.ts'

const WRITES_FOR_MS = 2500

/**
 * Runs two processes on one PostgreSQL. People write to both, two save the same card at once, and several register
 * first.
 */
export async function two({ runs = 4, seed, on }: Asked): Promise<Tried[]> {
  if (!on.includes('PostgreSQL')) return []
  const audit = openAudit()
  const faults: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const place = await openPlace('PostgreSQL')
    const start = () => startSite(place.settings, { folder: place.folder })
    const [one, other] = await Promise.all([start(), start()])
    const writer = openWriter(place, seed + run)
    await writer.doEach(one.address)
    await Promise.all([one, other].map(({ address }) => writer.writeFor(address, WRITES_FOR_MS)))
    faults.push(...(await sameCard([one, other], writer.hands.administrator)))
    for (const { address } of [one, other]) await audit.look(place, writer.ledger, { run: `run ${run}`, address })
    faults.push(...(await firstOnes(place, [one, other])))
    audit.close(writer.ledger)
    await Promise.all([one.stop(), other.stop()])
    await place.close()
  }
  // Two changes of one version of the week conflict: one is rejected, but its marker is present.
  const goals = [...audit.goals({ denied: false }), none('updates lost, or first ones more than one', faults)]
  return [{ of: 'PostgreSQL, two processes', runs, goals, deeds: audit.deeds() }]
}

// Two saves of one version change the same field. One succeeds and the other has a conflict.
async function sameCard(sites: Site[], hand: Omit<Hand, 'address'>) {
  await addCard({ ...hand, address: sites[0]?.address ?? '' })
  const card = hand.cards.pop()
  if (!card) return ['no card to save twice']
  const save = ({ address }: Site, index: number) =>
    send(address, `/firestoreservice/${card.id}/edit`, {
      cookie: hand.cookies.administrator,
      form: {
        intent: 'save',
        version: `${card.version}`,
        once: crypto.randomUUID(),
        title: `どちらか${index}`,
        content: '中身',
      },
    })
  const statuses = (await Promise.all(sites.map(save))).map((reply) => reply?.status)
  return statuses.toSorted().join() === '302,409' ? [] : [`two saves of one version were answered ${statuses.join()}`]
}

// Without members, a new member becomes the administrator. Concurrent registrations must create only one.
async function firstOnes({ reading, cookies }: Place, sites: Site[]) {
  await reading(async (db) => {
    await db.deleteFrom('answers').execute()
    await db.deleteFrom('members').execute()
    await db.deleteFrom('revisions').where('subject', '=', 'member').execute()
    await db.deleteFrom('marks').where('name', '=', 'first administrator').execute()
  })
  const text = '試し'
  const told = { profile: text, tennisExperience: text, racquetUsed: text, favoriteShot: text, strengths: text }
  const more = { strengthsWeaknesses: text, struggles: text, playerStyle: text, tennisPhilosophy: text }
  const rest = { mainAchievements: text, hobbiesSkills: text, address: text, tel_num: '075-000-0000' }
  const register = (cookie: string, index: number) =>
    send(sites[index % sites.length]?.address ?? '', '/api/collections/members', {
      cookie,
      json: {
        ...told,
        ...more,
        ...rest,
        username: `最初${index}`,
        accountname: `f${index}`,
        email: `f${index}@example.jp`,
      },
    })
  const people = ['signedIn', 'applicant', 'approved', 'administrator'] as const
  const replies = await Promise.all(people.map((person, index) => register(cookies[person], index)))
  const refused = replies.filter((reply) => reply?.status !== 201)
  const first = await reading((db) => db.selectFrom('members').select('id').where('administrator', '=', true).execute())
  return [
    ...refused.map((reply) => `a registration was answered ${reply?.status}: ${reply?.body.slice(0, 100)}`),
    ...(first.length === 1 ? [] : [`${first.length} first administrators`]),
  ]
}
