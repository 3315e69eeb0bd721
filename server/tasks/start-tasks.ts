import { startEventNotices } from '../../app/calendar/event-notices.server.ts'
import { startMessageExpiry } from '../../app/contact/messages.server.ts'
import { startHolidayRefresh } from '../../app/dates/holidays.server.ts'
import { createMailQueue } from '../../app/mail/outbox.server.ts'
import { startQueue } from '../../app/mail/outbox-queue.server.ts'
import { createNotificationQueue } from '../../app/push/notification-delivery.server.ts'
import { startRemovingUnusedImages } from '../../app/records/images-in-use.server.ts'
import { startTableTasks } from '../../app/tables/table-tasks.server.ts'
import type { SiteDependencies } from '../http/request-dependencies.ts'
import { startCopyingNights } from './backup-copies.ts'
import { backUpInAnotherProcess, startNightlyBackups } from './backups.ts'

export function startTasks(deps: SiteDependencies, { begunAt, mailOrigin }: { begunAt: number; mailOrigin: string }) {
  const { db, clock, log, live, metrics, releases, settings } = deps
  const { dataFolder, holidaysUrl, mailFrom, ownerEmail } = settings
  const contact = `mailto:${ownerEmail ?? mailFrom ?? `noreply@${new URL(mailOrigin).hostname}`}`
  const tasks = [
    startQueue(createMailQueue({ ...deps, ownerEmail })),
    startQueue(createNotificationQueue({ ...settings, ...deps, contact, origin: mailOrigin })),
    startEventNotices({ ...deps, origin: mailOrigin }, log),
    startRemovingUnusedImages(deps),
    startMessageExpiry(deps),
    startTableTasks({ ...deps, origin: mailOrigin }),
    releases.start(),
    startNightlyBackups({
      dataFolder,
      begunAt,
      clock,
      log,
      make: (signal) =>
        backUpInAnotherProcess('--night', signal, log).catch((error) => {
          metrics?.countBackupFailure()
          throw error
        }),
    }),
  ]
  const startCopying = (target: string, argument: string) => {
    const copy = (signal: AbortSignal) => backUpInAnotherProcess(argument, signal, log)
    tasks.push(startCopyingNights({ dataFolder, target, log, copy }))
  }
  if (settings.backupCopyFolder) startCopying('the second folder', '--copy')
  if (settings.backupBucket) startCopying('S3', '--copy-s3')
  if (holidaysUrl) {
    const onChange = () => live.publish('hours')
    tasks.push(startHolidayRefresh({ db, url: holidaysUrl, clock, log, onChange }))
  }
  return tasks
}
