import { ArrowUpDown, Plus } from 'lucide-react'
import { Link, useFetcher } from 'react-router'
import type { Arranged } from '../content/arranging.ts'
import type { ContentItem } from '../content/content-item.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import styles from './dining-editor.module.css'

// The page's action tells with it that there is no connection: by then it has to be at hand.
export { keptUntilSaved } from '../content/kept-until-saved.ts'

type ToolsProps = { arranging: boolean; several: boolean; answer: Arranged | undefined }

/** What those who may edit the dishes can do with all of them. */
export function Tools({ arranging, several, answer }: ToolsProps) {
  const trouble = answer?.refusal ?? answer?.failed
  return (
    <div className={styles.tools}>
      {trouble && <Notice kind="trouble">{trouble}</Notice>}
      {arranging ? (
        <Link to="/dining" className={button.button}>
          お料理に戻る
        </Link>
      ) : (
        <>
          {several && (
            <Link to="?arrange" className={button.button} preventScrollReset>
              <ArrowUpDown size={17} aria-hidden />
              並べ替える
            </Link>
          )}
          <Link to="?add" className={`${button.button} ${button.primary}`} preventScrollReset>
            <Plus size={18} aria-hidden />
            料理を追加
          </Link>
        </>
      )}
    </div>
  )
}

/** Says of a dish, in one tap, that it is sold out for today, or that it is not. */
export function SoldOutSwitch({ item, soldOut }: { item: ContentItem; soldOut: boolean }) {
  const fetcher = useFetcher<Arranged>()
  const sent = fetcher.formData?.get('intent')
  const shown = sent ? sent === 'sold out' : soldOut
  const trouble = fetcher.data?.refusal ?? fetcher.data?.failed
  return (
    <fetcher.Form method="post" action="/dining" className={styles.soldOut}>
      <input type="hidden" name="id" value={item.id} />
      <button
        type="submit"
        name="intent"
        value={shown ? 'not sold out' : 'sold out'}
        role="switch"
        aria-checked={shown}
        aria-label={`「${item.title}」を本日売り切れにする`}
      >
        <span className={styles.track} aria-hidden />
        本日売り切れ
      </button>
      {trouble && (
        <p role="alert" className={styles.trouble}>
          {trouble}
        </p>
      )}
    </fetcher.Form>
  )
}
