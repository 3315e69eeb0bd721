import { closestCenter, DndContext, type DragEndEvent, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ChevronDown, ChevronUp, GripVertical } from 'lucide'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useRevalidator, useRouteLoaderData } from 'react-router'
import { newKey, repeatsKey } from '../forms/idempotency-key.tsx'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { isBefore } from '../live/cursor.ts'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Card } from './card.ts'
import { cardName } from './editing.ts'
import { moveItem, placeOf, type ReorderResult, sectionIdOf, stepsTo, toSortable } from './reorder.ts'
import styles from './reorder-list.module.css'
import type { CardGroup } from './sections-of-cards.ts'

type Item = Pick<Card, 'id' | 'title' | 'text1' | 'image' | 'draft'>

type Props<T extends Item> = {
  /** The cards. In the menu, also the sections, each before its dishes, with its token as ID. */
  items: T[]
  action: string
  children?: (item: T, order: T[]) => ReactNode
}

/** Sortable list of cards. Each move is saved immediately. Moves during a save are saved together after that save. */
export function ReorderList<T extends Item>({ items, action, children }: Props<T>) {
  const order = useOrder(items)
  const { save, send, isUnsaved } = useReorderSave(order, action)
  const sensors = useSensors(useSensor(PointerSensor))
  const id = useId()
  const move = (item: Item, steps: number) => {
    const { section, position, count } = placeOf(order.move(item.id, steps), item.id)
    const sectionName = items.find(({ id }) => id === section)?.title
    const place = sectionName ? `「${sectionName}」の${position}番目` : `${position}番目`
    announce(`「${cardName(item)}」を${place}に移動しました（${count}件中）。`)
  }
  const handleDrop = ({ active, over }: DragEndEvent) => {
    const item = order.items.find((each) => each.id === active.id)
    if (item && over) move(item, stepsTo(order.ids, item.id, String(over.id)))
  }

  return (
    <div className={styles.arranging}>
      {items.some(({ id }) => sectionIdOf(id) !== null) && <p>最初の分類より上に置いた料理は、分類なしになります。</p>}
      <DndContext
        id={id}
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={handleDrop}
        modifiers={[({ transform }) => ({ ...transform, x: 0 })]}
        accessibility={{ announcements: noAnnouncements, screenReaderInstructions: { draggable: '' } }}
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
      <div className={styles.save}>
        <Outcome save={save} />
        {isUnsaved && (
          <p className={styles.again}>
            <Button onClick={order.reset}>並べ替えをやめる</Button>
            <Button primary onClick={send}>
              もう一度保存する
            </Button>
          </p>
        )}
      </div>
    </div>
  )
}

export function ReorderMenu({ groups }: { groups: CardGroup[] }) {
  return <ReorderList items={toSortable(groups)} action="/dining?arrange" />
}

// Disables the announcements of dnd-kit, because the list announces each move in Japanese.
const noAnnouncements = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
}

/** Data of the root loader. Each load returns a new object. */
type RootData = { lastChange: string }

function useOrder<T extends Item>(items: T[]) {
  const loaded = items.map(({ id }) => id)
  const [localOrder, setLocalOrder] = useState<{ seen: string[]; ids: string[] } | null>(null)
  const [lastSaved, setLastSaved] = useState<{ change: string; rootData?: RootData | undefined }>({ change: '' })
  const { seen, ids } = localOrder ?? { seen: loaded, ids: loaded }
  const byId = new Map(items.map((item) => [item.id, item]))
  return {
    seen,
    ids,
    items: ids.flatMap((id) => byId.get(id) ?? []),
    unsaved: ids.join() === seen.join() ? '' : ids.join(),
    /** Records that the server saved `order` at the event cursor `change`. `rootData` was loaded before the save. */
    markSaved(order: string, change = '', rootData?: RootData) {
      setLastSaved({ change, rootData })
      setLocalOrder((previous) => previous && { ...previous, seen: order.split(',') })
    },
    showLoaded(rootData?: RootData) {
      const isOld = rootData && (rootData === lastSaved.rootData || isBefore(rootData.lastChange, lastSaved.change))
      // A move in the same moment must not be lost: React may run this effect after the move and before its render.
      if (localOrder && !isOld) setLocalOrder((current) => (current === localOrder ? null : current))
    },
    move(id: string, steps: number) {
      const next = moveItem(ids, id, steps)
      setLocalOrder((previous) => ({ seen: previous?.seen ?? loaded, ids: next }))
      return next
    },
    reset: () => setLocalOrder(null),
  }
}

function useReorderSave(order: Omit<ReturnType<typeof useOrder>, 'items'>, action: string) {
  const { revalidate } = useRevalidator()
  const rootData = useRouteLoaderData('root') as RootData | undefined
  const [sentOrder, setSentOrder] = useState('')
  const save = useSave<ReorderResult>({
    intents: ['reorder'],
    onDone({ change }) {
      order.markSaved(sentOrder, change, rootData)
      setSentOrder('')
    },
  })
  const { answer, busy } = save
  const key = useRef('')
  const send = () => {
    const newOrder = order.unsaved
    // A request without a response may have succeeded, so the same order is sent again with the same idempotency key.
    if (!repeatsKey(answer) || newOrder !== sentOrder) key.current = newKey()
    setSentOrder(newOrder)
    save.send({ intent: 'reorder', seen: order.seen.join(), wanted: newOrder, once: key.current }, { action })
  }
  useEffect(() => {
    if (!answer?.newer) return
    order.reset()
    setSentOrder('')
    // React Router does not revalidate after a 4xx response.
    revalidate()
  }, [answer])
  useEffect(() => {
    if (busy || save.isPending()) return
    if (!order.unsaved) order.showLoaded(rootData)
    else if (order.unsaved !== sentOrder) send()
  })
  return { save, send, isUnsaved: !busy && order.unsaved !== '' && order.unsaved === sentOrder }
}

const stepsByKey: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }

type RowProps = { item: Item; onMove: (steps: number) => void; children: ReactNode }

function Row({ item, onMove, children }: RowProps) {
  const { setNodeRef, setActivatorNodeRef, listeners, transform, transition, isDragging } = useSortable({ id: item.id })
  const name = cardName(item)
  // The pressed button loses the focus when the row moves in the DOM.
  const moveWith = (button: HTMLElement, steps: number) => {
    flushSync(() => onMove(steps))
    button.focus()
  }
  return (
    <li
      ref={setNodeRef}
      className={[styles.row, isDragging && styles.dragged, sectionIdOf(item.id) !== null && styles.section]
        .filter(Boolean)
        .join(' ')}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      <button
        {...listeners}
        ref={setActivatorNodeRef}
        type="button"
        className={styles.handle}
        aria-label={`「${name}」を動かす（上下の矢印キー、またはドラッグ）`}
        onKeyDown={(event) => {
          const steps = stepsByKey[event.key]
          if (!steps) return
          event.preventDefault()
          moveWith(event.currentTarget, steps)
        }}
      >
        <Icon of={GripVertical} size={20} />
      </button>
      <div className={styles.picture}>{item.image && <ResponsiveImage url={item.image} alt="" sizes="56px" />}</div>
      <p className={styles.text}>
        {item.draft && <span className={styles.mark}>下書き</span>}
        <span>{name}</span>
      </p>
      {children && <div className={styles.more}>{children}</div>}
      <div className={styles.steps}>
        {(['up', 'down'] as const).map((direction) => (
          <button
            key={direction}
            type="button"
            className={styles.step}
            aria-label={`「${name}」を${direction === 'up' ? '上' : '下'}へ`}
            onClick={(event) => moveWith(event.currentTarget, direction === 'up' ? -1 : 1)}
          >
            {direction === 'up' ? <Icon of={ChevronUp} size={20} /> : <Icon of={ChevronDown} size={20} />}
          </button>
        ))}
      </div>
    </li>
  )
}
