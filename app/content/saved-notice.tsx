import { X } from 'lucide-react'
import { useState } from 'react'
import { Link, useFetcher, useLocation, useRouteLoaderData } from 'react-router'
import type { Visitor } from '../permissions.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import type { ContentAnswer, Done } from './content-answer.ts'
import styles from './saved-notice.module.css'

const words: Record<Done, string> = {
  added: '追加しました。',
  saved: '保存しました。',
  unchanged: '変わったところはありませんでした。',
  merged: 'ほかの方の変更とあわせて保存しました。',
  reordered: '並び順を保存しました。',
  deleted: '削除しました。',
  'put back': '選んだ時点の内容に戻しました。',
  'taken back': '元に戻しました。',
}

/** Says on a collection's page what its editor has just done, and takes it back. */
export function SavedNotice() {
  const { pathname, search, hash } = useLocation()
  const root = useRouteLoaderData('root') as { visitor: Visitor } | undefined
  const fetcher = useFetcher<ContentAnswer>()
  const query = new URLSearchParams(search)
  const done = words[query.get('done') as Done]
  // A page that refreshes itself meanwhile drops the way that the answer points to.
  const [sent, setSent] = useState<string | null>(null)
  const undo = query.get('undo')
  const isTakenBack = sent !== null && sent === undo && fetcher.state === 'idle' && !fetcher.data
  const trouble = fetcher.data?.failed ?? fetcher.data?.refusal
  if (!done || !root?.visitor) return null
  return (
    <div className={styles.saved}>
      <Notice kind={trouble ? 'trouble' : 'done'}>
        <fetcher.Form method="post" action="/firestoreservice" className={styles.row} onSubmit={() => setSent(undo)}>
          <span>{trouble ?? (isTakenBack ? words['taken back'] : done)}</span>
          {undo && !trouble && !isTakenBack && (
            <>
              <input type="hidden" name="intent" value="take back" />
              <input type="hidden" name="revision" value={undo} />
              <button type="submit" className={button.button} aria-disabled={fetcher.state !== 'idle'}>
                元に戻す
              </button>
            </>
          )}
          <Link to={pathname + hash} replace preventScrollReset className={styles.close}>
            <X size={20} aria-label="お知らせを閉じる" />
          </Link>
        </fetcher.Form>
      </Notice>
    </div>
  )
}
