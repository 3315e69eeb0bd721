import { setTimeout as pause } from 'node:timers/promises'
import { type Moment, startMailServer } from '../../app/mail/testing-mail-server.ts'
import { addApprovedMembers } from '../../app/members/testing-members.ts'
import { startSite } from '../../scripts/start-site.ts'
import { noneGoal, runOnEngines, type TrialOptions, type TrialResult } from './goals.ts'
import { randomFrom } from './random.ts'
import { send } from './requests.ts'
import { type Engine, openSiteCopy, type SiteCopy } from './site-copy.ts'

const MEMBERS = 500
const moments: readonly Moment[] = ['greeted', 'addressed', 'halfway', 'accepted', 'answered']

/**
 * Kills the process while it sends a message to 500 members, first during the save and then at random moments of the
 * delivery. Each member must receive the message once, or twice if the process died after the mail server had accepted
 * the e-mail.
 */
export async function circle({ runs = 10, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => circleOn(engine, runs, seed))
}

async function circleOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const random = randomFrom(seed)
  const copy = await openSiteCopy(engine)
  const memberIds = await copy.withDatabase((db) => addApprovedMembers(db, MEMBERS))
  const { arrived, behavior, url, stop } = await startMailServer()
  const settings = { ...copy.settings, SMTP_URL: url, MAIL_FROM: 'shop@example.jp' }
  const start = () => startSite(settings, { folder: copy.folder })
  let site = await start()
  const form = {
    ...{ intent: 'send', id: crypto.randomUUID(), audience: 'all', event: '' },
    ...{ subject: '雨の日の連絡', text: '本日の練習は中止です。' },
  }
  const post = () => send(site.address, '/memberlist/message', { cookie: copy.cookies.administrator, form })
  const acceptedAtKill = new Set<string>()
  const restart = async () => {
    await site.exited
    // The mail server may still accept an e-mail that it has received completely from the killed process.
    await pause(500)
    acceptedAtKill.add(arrived.at(-1)?.messageId ?? '')
    await endLeases(copy)
    site = await start()
  }
  for (let run = 0; run < runs; run += 1) {
    if (run === 0) {
      const response = post()
      await pause(random.between(5, 300))
      site.child.kill('SIGKILL')
      await restart()
      await response
      // Nobody knows whether the first submission was saved, so the administrator repeats it.
      if ((await post())?.status !== 200) throw new Error('Message not sent; expected status 200')
      continue
    }
    const first = arrived.length + random.between(5, 30)
    const moment = moments[run % moments.length]
    await new Promise<void>((resolve) => {
      behavior.at = async (reached) => {
        if (reached !== moment || arrived.length < first) return
        behavior.at = () => {}
        site.child.kill('SIGKILL')
        await site.exited
        resolve()
      }
    })
    await restart()
  }
  await waitUntilSent(copy)
  await site.stop()
  await stop()
  await copy.close()
  const byRecipient = Map.groupBy(arrived, ({ to }) => to[0] ?? '')
  const missing = memberIds.map((id) => `${id}@example.jp`).filter((email) => !byRecipient.has(email))
  const repeated = [...byRecipient.values()].filter((mails) => mails.length > 1)
  const label = ([first, ...others]: typeof arrived) => `${first?.to[0]}: ${others.length + 1} times`
  const idsOf = (mails: typeof arrived) => new Set(mails.map(({ messageId }) => messageId))
  const unexpected = repeated.filter((mails) => mails.length > 2 || !acceptedAtKill.has(mails[0]?.messageId ?? ''))
  const goals = [
    noneGoal('members without the message', missing),
    noneGoal('e-mails with another Message-ID', repeated.filter((mails) => idsOf(mails).size > 1).map(label)),
    noneGoal('repeated e-mails that were not accepted at a kill', unexpected.map(label)),
    {
      goal: `recipients: ${MEMBERS} members and 2 people of the demo`,
      measured: `${byRecipient.size}, ${repeated.length} of them twice`,
      missed: byRecipient.size !== MEMBERS + 2,
    },
  ]
  return { label: engine, runs, goals }
}

// The leases of the killed process would end after two minutes.
async function endLeases({ withDatabase }: SiteCopy) {
  const now = new Date().toISOString()
  await withDatabase((db) => db.updateTable('outbox').set({ dueAt: now }).where('state', '=', 'waiting').execute())
}

async function waitUntilSent({ withDatabase }: SiteCopy) {
  const waiting = () =>
    withDatabase((db) =>
      db.selectFrom('outbox').select('id').where('channel', '=', 'mail').where('state', '=', 'waiting').execute(),
    )
  for (let check = 0; check < 600 && (await waiting()).length > 0; check += 1) await pause(500)
}
