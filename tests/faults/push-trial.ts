import { setTimeout as pause } from 'node:timers/promises'
import { dayInJapan } from '../../app/dates/japan.ts'
import { vapidKeys } from '../../app/push/push-request.server.ts'
import { addTestDevice, startPushService } from '../../app/push/testing-push-service.ts'
import { readSite, readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { listTableDays, listTableTimes } from '../../app/tables/table-times.server.ts'
import type { Db } from '../../db/tables.ts'
import { startSite } from '../../scripts/start-site.ts'
import { readSecret, secretFile } from '../../server/secret.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import { noneGoal, runOnEngines, type TrialOptions, type TrialResult, withinGoal } from './goals.ts'
import { openOperationLog } from './operation-log.ts'
import { askForTable, writeMessage } from './operations.ts'
import { randomFrom } from './random.ts'
import { type Engine, openSiteCopy, type SiteCopy } from './site-copy.ts'

const DELIVERY_TIMEOUT_MS = 2000
const WEEK_MS = 7 * 24 * 60 * 60_000
// A killed process may hold the lease of a notification.
const MAX_WAIT_MS = 45_000

/**
 * Measures the time from a guest's message or request for a table to the notification at the push service. Then kills
 * the process after the next one and before its delivery. The device must show each notification once.
 */
export async function push({ runs = 3, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => pushOn(engine, runs, seed))
}

async function pushOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const [service, copy] = [await startPushService(), await openSiteCopy(engine)]
  const push = {
    OWNER_EMAIL: 'owner@example.jp',
    PUSH_SERVICES: service.origin,
    NODE_EXTRA_CA_CERTS: service.certificateFile,
  }
  const start = () => startSite({ ...copy.settings, ...push }, { folder: copy.folder })
  const log = openOperationLog()
  const deliveryTimes: number[] = []
  const lost: string[] = []
  let site = await start()
  const { publicKey } = vapidKeys(readSecret(secretFile(copy.folder)))
  const subscription = service.subscribe(publicKey)
  await copy.withDatabase((db) =>
    addTestDevice(db, demoAccounts.administrator.accountId, subscription, 'inquiry', 'table'),
  )
  const time = await copy.withDatabase(openTablesInAWeek)

  const countShown = () => new Set(service.arrived.map(({ tag }) => tag)).size
  const waitForNotifications = async (run: string) => {
    const deadline = performance.now() + MAX_WAIT_MS
    while (countShown() < log.count('confirmed') && performance.now() < deadline) {
      await endQuietHours(copy)
      await pause(20)
    }
    if (countShown() < log.count('confirmed')) lost.push(run)
  }
  for (let run = 0; run < 2 * runs; run += 1) {
    const random = randomFrom(seed + run)
    const write = () => {
      const actor = { address: site.address, log }
      return run % 2 === 0 ? writeMessage(actor) : askForTable(actor, time)
    }
    const sentAt = performance.now()
    await write()
    await waitForNotifications(`run ${run}`)
    deliveryTimes.push(performance.now() - sentAt)

    service.behavior.stalls = true
    await write()
    await endQuietHours(copy)
    // The process dies before or during the delivery.
    await pause(random.between(0, 1500))
    site.child.kill('SIGKILL')
    await site.exited
    service.behavior.stalls = false
    site = await start()
    await waitForNotifications(`run ${run}, killed`)
  }
  // A second delivery would follow within the lease of the first one.
  const repeated = service.arrived.map(({ tag }) => tag).filter((tag, index, tags) => tags.indexOf(tag) !== index)
  await site.stop()
  await service.stop()
  await copy.close()
  const goals = [
    noneGoal('notifications that did not arrive', lost),
    noneGoal('notifications that arrived twice', repeated),
    noneGoal('requests that break RFC 8291 or RFC 8292', service.rejected),
    withinGoal('from the form to the notification', deliveryTimes, DELIVERY_TIMEOUT_MS),
  ]
  return { label: engine, runs: 2 * runs, goals }
}

// Returns a time for a table.
async function openTablesInAWeek(db: Db) {
  const { version } = await readSiteToEdit(db)
  const facts = { takesTableRequests: true, tableGuestsPerHalfHour: 200, tableGuestsPerDay: 1000 }
  await saveSite(db, { version, facts }, { accountId: null, at: new Date().toISOString() })
  const [now, site] = [Date.now(), await readSite(db)]
  const day = (await listTableDays(db, site, now)).find((each) => each.day > dayInJapan(now + WEEK_MS))?.day ?? ''
  const [first] = await listTableTimes(db, site, { day, party: 1, now })
  return { day, time: first?.time ?? '' }
}

// At night in Japan, a notification would wait until 8:00.
async function endQuietHours({ withDatabase }: SiteCopy) {
  await withDatabase((db) =>
    db
      .updateTable('outbox')
      .set({ dueAt: new Date().toISOString() })
      .where('channel', '=', 'push')
      .where('attempts', '=', 0)
      .execute(),
  )
}
