import { SubscribeLinks } from '../calendar/subscribe-links.tsx'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import page from '../ui/page.module.css'
import { ReadOnlyField } from '../ui/read-only-field.tsx'
import styles from './member-list.module.css'

/** Value of `deed` in the form. */
export const FEED_INTENT = 'renew feed'

export type FeedResult = SaveResult & { newUrl?: string }

/** The secret address of the member's calendar. `loadedUrl` is null until the member makes an address. */
export function OwnFeed({ loadedUrl }: { loadedUrl: string | null }) {
  const save = useSave<FeedResult>({ intents: [FEED_INTENT] })
  // The loaded address no longer works after the response, but the page loads the new address only later.
  const url = save.answer?.newUrl ?? loadedUrl
  return (
    <section className={page.section} aria-labelledby="own-feed">
      <h2 id="own-feed" className={styles.heading}>
        ご自分のカレンダー
      </h2>
      <p>
        メンバーだけの予定とご自分の回答も入るカレンダーを、スマートフォンなどで購読できます。アドレスを知っている方はどなたでもご覧になれますので、人に教えないでください。
      </p>
      {url && (
        <>
          <div className={styles.feed}>
            <ReadOnlyField label="アドレス" value={url} />
            <CopyButton text={url}>アドレスをコピーする</CopyButton>
          </div>
          <div className={styles.feedLinks}>
            <SubscribeLinks url={url} />
            <a href={url} download="calendar.ics">
              ファイルを受け取る
            </a>
          </div>
        </>
      )}
      <SaveForm save={save} className={styles.newFeed} hiddenFields={{ deed: FEED_INTENT }}>
        <Button type="submit" aria-disabled={save.busy}>
          {url ? '新しいアドレスにする' : 'アドレスを作る'}
        </Button>
      </SaveForm>
      <Outcome save={save} />
    </section>
  )
}
