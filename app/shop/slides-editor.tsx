import { Trash2 } from 'lucide-react'
import { Form } from 'react-router'
import { ArrangeList } from '../content/arrange-list.tsx'
import type { Arranged } from '../content/arranging.ts'
import type { ContentItem } from '../content/content-item.ts'
import { nameOf } from '../content/content-words.ts'
import { AddCard, EditPencil } from '../content/edit-links.tsx'
import { type Editing, editAddress } from '../content/editing.ts'
import page from '../ui/page.module.css'
import { isShown } from './slides.ts'
import styles from './slides-editor.module.css'

type Props = { items: ContentItem[]; editing: Editing; answer: Arranged | undefined }

/** For administrators, under the slider: the slides in their order, with what can be done with each. */
export default function SlidesEditor({ items, editing, answer }: Props) {
  const carried = { posttitle: 'ホームのスライド', editing }
  return (
    <section id="slides" className={`${page.page} ${styles.slides}`} aria-labelledby="slides-heading">
      <div className={styles.heading}>
        <div>
          <h2 id="slides-heading">スライドの編集</h2>
          <p>上から3枚が店の物語、続く6枚が店の風景になります。足りないところには、はじめからの絵が入ります。</p>
        </div>
        <AddCard {...carried} />
      </div>
      {items.length === 0 ? (
        <p>スライドはまだありません。</p>
      ) : (
        <ArrangeList items={items} action="/?index" answer={answer}>
          {(item, order) => (
            <div className={styles.row}>
              <span>{placeOf(item, order)}</span>
              <EditPencil item={item} {...carried} />
              <button
                type="submit"
                form={`delete-${item.id}`}
                className={styles.delete}
                aria-label={`「${nameOf(item)}」を削除`}
              >
                <Trash2 size={15} aria-hidden />
                削除
              </button>
            </div>
          )}
        </ArrangeList>
      )}
      {items.map((item) => (
        // The slide's own page asks whether it shall really go.
        <Form key={item.id} id={`delete-${item.id}`} method="post" action={editAddress(item)} hidden>
          <input type="hidden" name="intent" value="delete" />
          <input type="hidden" name="version" value={item.version} />
        </Form>
      ))}
    </section>
  )
}

function placeOf(item: ContentItem, order: ContentItem[]) {
  const place = order.filter(isShown).indexOf(item) + 1
  if (place === 0 || place > 9) return '表示していません'
  return place <= 3 ? `物語の${place}枚目` : `風景の${place - 3}枚目`
}
