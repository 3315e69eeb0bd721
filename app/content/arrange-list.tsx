import { closestCenter, DndContext, type DragEndEvent, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ChevronDown, ChevronUp, GripVertical } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { Form, useRevalidator } from 'react-router'
import { Picture } from '../media/picture.tsx'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import { OnceKey } from '../saving/once-key.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './arrange-list.module.css'
import { type Arranged, moved } from './arranging.ts'
import type { ContentItem } from './content-item.ts'
import { nameOf } from './content-words.ts'

type Props = {
  items: ContentItem[]
  /** The address that takes the new order. */
  action: string
  /** What it answered. */
  answer: Arranged | undefined
  /** What else stands in a card's row, when the cards are in this order. */
  children?: (item: ContentItem, order: ContentItem[]) => ReactNode
  /** What stands beside the button that saves. */
  way?: ReactNode
}

/**
 * The cards of a collection in the order that they are shown in: dragged, moved by the arrow keys on the handle or by
 * buttons, and saved at once; without scripts, each press of a button is a save.
 */
export function ArrangeList({ items, action, answer, children, way }: Props) {
  const { revalidate } = useRevalidator()
  const order = useOrder(items)
  const [said, setSaid] = useState('')
  const sensors = useSensors(useSensor(PointerSensor))
  const id = useId()
  const { forget } = order
  useEffect(() => {
    if (!answer?.newer) return
    forget()
    // An answer that refuses brings no data with it.
    revalidate()
  }, [answer, forget, revalidate])

  const move = (item: ContentItem, steps: number) => {
    const ids = order.move(item.id, steps)
    setSaid(`「${nameOf(item)}」を${ids.indexOf(item.id) + 1}番目に移しました（${ids.length}件中）`)
  }
  const drop = ({ active, over }: DragEndEvent) => {
    const item = order.items.find((each) => each.id === active.id)
    if (item && over) move(item, order.ids.indexOf(String(over.id)) - order.ids.indexOf(item.id))
  }

  return (
    <Form method="post" action={action} preventScrollReset className={styles.arranging}>
      <OnceKey answer={answer} />
      <input type="hidden" name="intent" value="reorder" />
      <input type="hidden" name="seen" value={order.seen.join()} />
      <input type="hidden" name="wanted" value={order.ids.join()} />
      {(answer?.refusal ?? answer?.failed) && <Notice kind="trouble">{answer?.refusal ?? answer?.failed}</Notice>}
      <DndContext
        id={id}
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        modifiers={[({ transform }) => ({ ...transform, x: 0 })]}
        accessibility={{ announcements: silent, screenReaderInstructions: { draggable: '' } }}
      >
        <SortableContext items={order.ids} strategy={verticalListSortingStrategy}>
          <ol className={styles.list}>
            {order.items.map((item) => (
              <Row key={item.id} item={item} onMove={(steps) => move(item, steps)}>
                {children?.(item, order.items)}
              </Row>
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <div className={order.changed ? `${styles.save} ${styles.changed}` : styles.save}>
        {way}
        {order.changed && (
          <>
            <button type="button" className={button.button} onClick={forget}>
              並べ替えをやめる
            </button>
            <SubmitButton>この順番で保存する</SubmitButton>
          </>
        )}
      </div>
    </Form>
  )
}

// What a drag does is said by the list itself, in Japanese and once.
const silent = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
}

// The new order, beside the one that it was made from: whether that is still right, the server says.
function useOrder(items: ContentItem[]) {
  const [order, setOrder] = useState<{ items: ContentItem[]; ids: string[] } | null>(null)
  const forget = useCallback(() => setOrder(null), [])
  const shown = order?.items ?? items
  const seen = shown.map(({ id }) => id)
  const ids = order?.ids ?? seen
  const current = items.map(({ id }) => id).join()
  // Saved: what is shown comes from the server again.
  useEffect(() => setOrder((made) => (made && made.ids.join() === current ? null : made)), [current])
  const byId = new Map([...shown, ...items].map((item) => [item.id, item]))
  return {
    seen,
    ids,
    items: ids.flatMap((id) => byId.get(id) ?? []),
    changed: ids.join() !== seen.join(),
    move(id: string, steps: number) {
      const next = moved(ids, id, steps)
      setOrder({ items: shown, ids: next })
      return next
    },
    forget,
  }
}

const stepsOf: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }

type RowProps = { item: ContentItem; onMove: (steps: number) => void; children: ReactNode }

function Row({ item, onMove, children }: RowProps) {
  const { setNodeRef, setActivatorNodeRef, listeners, transform, transition, isDragging } = useSortable({ id: item.id })
  const name = nameOf(item)
  // The row goes elsewhere in the page: the focus goes with it.
  const moveWith = (pressed: HTMLElement, steps: number) => {
    flushSync(() => onMove(steps))
    pressed.focus()
  }
  return (
    <li
      ref={setNodeRef}
      className={isDragging ? `${styles.row} ${styles.dragged}` : styles.row}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      <button
        {...listeners}
        ref={setActivatorNodeRef}
        type="button"
        className={styles.handle}
        aria-label={`「${name}」を動かす（上下の矢印キー、またはドラッグ）`}
        onKeyDown={(event) => {
          const steps = stepsOf[event.key]
          if (!steps) return
          event.preventDefault()
          moveWith(event.currentTarget, steps)
        }}
      >
        <GripVertical size={20} aria-hidden />
      </button>
      <div className={styles.picture}>{item.image && <Picture url={item.image} alt="" sizes="56px" />}</div>
      <p className={styles.text}>
        {item.draft && <span className={styles.mark}>下書き</span>}
        {name}
      </p>
      {children && <div className={styles.more}>{children}</div>}
      <div className={styles.steps}>
        {(['up', 'down'] as const).map((way) => (
          <button
            key={way}
            type="submit"
            name={way}
            value={item.id}
            className={styles.step}
            aria-label={`「${name}」を${way === 'up' ? '上' : '下'}へ`}
            onClick={(event) => {
              event.preventDefault()
              moveWith(event.currentTarget, way === 'up' ? -1 : 1)
            }}
          >
            {way === 'up' ? <ChevronUp size={20} aria-hidden /> : <ChevronDown size={20} aria-hidden />}
          </button>
        ))}
      </div>
    </li>
  )
}
