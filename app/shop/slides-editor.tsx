import { Trash2 } from 'lucide'
import { useRef, useState } from 'react'
import type { Card } from '../cards/card.ts'
import type { CardResult } from '../cards/card-result.ts'
import { AddCard, EditPencil } from '../cards/edit-links.tsx'
import { cardName, type Editing, editUrl } from '../cards/editing.ts'
import { ReorderList } from '../cards/reorder-list.tsx'
import { newKey, repeatsKey } from '../forms/idempotency-key.tsx'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import page from '../ui/page.module.css'
import { isShown } from './slides.ts'
import styles from './slides-editor.module.css'

type Props = { items: Card[]; editing: Editing }

export default function SlidesEditor({ items, editing }: Props) {
  const linkProps = { posttitle: 'ホームのスライド', editing }
  return (
    <section id="slides" className={`${page.page} ${styles.slides}`} aria-labelledby="slides-heading">
      <div className={styles.heading}>
        <div>
          <h2 id="slides-heading">スライドの編集</h2>
          <p>上から3枚が大きな写真の「物語」に、続く6枚が写真の列の「風景」になります。</p>
        </div>
        <AddCard {...linkProps} />
      </div>
      {items.length === 0 ? (
        <p>スライドはまだありません。</p>
      ) : (
        <ReorderList items={items} action="/?index">
          {(item, order) => (
            <div className={styles.row}>
              <span>{positionText(item, order)}</span>
              <EditPencil item={item} {...linkProps} />
              <DeleteSlide item={item} />
            </div>
          )}
        </ReorderList>
      )}
    </section>
  )
}

function DeleteSlide({ item }: { item: Card }) {
  const save = useSave<CardResult>({ intents: [], leaves: true })
  const [isConfirming, setIsConfirming] = useState(false)
  const key = useRef('')
  const changed = save.answer?.changed
  const remove = () => {
    setIsConfirming(false)
    const version = String(changed?.version ?? item.version)
    // A request without a response may have succeeded, so a retry sends the same idempotency key.
    if (!repeatsKey(save.answer)) key.current = newKey()
    save.send({ intent: 'delete', version, once: key.current }, { action: editUrl(item) })
  }
  return (
    <>
      <button
        type="button"
        className={styles.delete}
        aria-label={`「${cardName(item)}」を削除`}
        onClick={() => setIsConfirming(true)}
      >
        <Icon of={Trash2} size={15} />
        削除
      </button>
      <Outcome save={save}>
        {changed && 'ほかの方が先に変更しました。現在の内容をご確認のうえ、もう一度お試しください。'}
      </Outcome>
      {isConfirming && (
        <Confirm
          sentence={`「${cardName(item)}」を本当に削除しますか？`}
          onConfirm={remove}
          onCancel={() => setIsConfirming(false)}
        />
      )}
    </>
  )
}

function positionText(item: Card, order: Card[]) {
  const position = order.filter(isShown).indexOf(item) + 1
  if (position === 0 || position > 9) return '表示していません'
  return position <= 3 ? `物語の${position}枚目` : `風景の${position - 3}枚目`
}
