import { t } from '../languages/language.ts'

/** Links that subscribe to the calendar with this URL, so that the program of the subscriber refreshes it. */
export function SubscribeLinks({ url }: { url: string }) {
  const webcal = url.replace(/^https?:/, 'webcal:')
  return (
    <>
      <a href={webcal}>{t('カレンダーアプリで購読する（自動更新）')}</a>
      <a href={`https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`}>
        {t('Googleカレンダーで購読する')}
      </a>
    </>
  )
}
