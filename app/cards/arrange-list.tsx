import { closestCenter, DndContext, type DragEndEvent, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ChevronDown, ChevronUp, GripVertical } from 'lucide'
import { type ReactNode, useEffect, useId, useReducer, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useRevalidator, useRouteLoaderData } from 'react-router'
import { newKey } from '../forms/once-key.tsx'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { isBefore } from '../live/change.ts'
import { Picture } from '../media/picture.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './arrange-list.module.css'
import { type Arranged, moved } from './arranging.ts'
import type { Card } from './card.ts'
import { nameOf } from './editing.ts'

type Props = {
  items: Card[]
  /** The address that takes the new order. */
  action: string
  /** What else stands in a card's row, when the cards are in this order. */
  children?: (item: Card, order: Card[]) => ReactNode
}

/**
 * The cards of a collection in the order that they are shown in: dragged, moved by the arrow keys on the handle or by
 * buttons. Each move is saved as it is done; those made while one is being saved are saved together, after it.
 */
export function ArrangeList({ items, action, children }: Props) {
  const order = useOrder(items)
  const { save, send, isUnsaved } = useSaving(order, action)
  const sensors = useSensors(useSensor(PointerSensor))
  const id = useId()
  const move = (item: Card, steps: number) => {
    const ids = order.move(item.id, steps)
    announce(`「${nameOf(item)}」を${ids.indexOf(item.id) + 1}番目に移しました（${ids.length}件中）。`)
  }
  const drop = ({ active, over }: DragEndEvent) => {
    const item = order.items.find((each) => each.id === active.id)
    if (item && over) move(item, order.ids.indexOf(String(over.id)) - order.ids.indexOf(item.id))
  }

  return (
    // The outcome has a form of its own, its undo; a browser would send one within another as if there were no scripts.
    <div className={styles.arranging}>
      <SaveForm save={save} action={action} once="">
        <input type="hidden" name="intent" value="reorder" />
        <input type="hidden" name="seen" value={order.seen().join()} />
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
      </SaveForm>
      <div className={styles.save}>
        <Outcome save={save} />
        {isUnsaved && (
          <p className={styles.again}>
            <Button onClick={order.forget}>並べ替えをやめる</Button>
            <Button primary onClick={send}>
              もう一度保存する
            </Button>
          </p>
        )}
      </div>
    </div>
  )
}

// What a drag does is said by the list itself, in Japanese and once.
const silent = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
}

/** What the page's data are as of, anew with each reading. */
type AsOf = { lastChange: string }

// The order on the screen, beside the one that the server has as far as it is known: whether that is right, it says. Both
// are known at once, not with React's next drawing: a move may come while it still draws what was before.
function useOrder(items: Card[]) {
  const current = items.map(({ id }) => id)
  const made = useRef<{ seen: string[]; ids: string[] } | null>(null)
  const [, draw] = useReducer((times: number) => times + 1, 0)
  const change = (changed: typeof made.current) => {
    made.current = changed
    draw()
  }
  const lastSaved = useRef<{ change: string; shown?: AsOf }>({ change: '' })
  const now = () => made.current ?? { seen: current, ids: current }
  const unsaved = () => (now().ids.join() === now().seen.join() ? '' : now().ids.join())
  const byId = new Map(items.map((item) => [item.id, item]))
  return {
    seen: () => now().seen,
    ids: now().ids,
    items: now().ids.flatMap((id) => byId.get(id) ?? []),
    /** The order that is not saved yet; empty where there is none. */
    unsaved,
    /** The server has this order since that change of the site; what is `shown` was read before. */
    saved(order: string, change = '', shown?: AsOf) {
      lastSaved.current = { change, shown }
      made.current &&= { ...made.current, seen: order.split(',') }
      draw()
    },
    /** Shows the cards as they were read then, unless that was before they were saved. */
    settle(shown?: AsOf) {
      const saved = lastSaved.current
      const isOld = shown && (shown === saved.shown || isBefore(shown.lastChange, saved.change))
      if (made.current && !isOld) change(null)
    },
    move(id: string, steps: number) {
      const { seen, ids } = now()
      const next = moved(ids, id, steps)
      change({ seen, ids: next })
      return next
    },
    forget: () => change(null),
  }
}

/** Saves each new order; `isUnsaved` where that was tried and has not come about, and `send` tries once more. */
function useSaving(order: ReturnType<typeof useOrder>, action: string) {
  const { revalidate } = useRevalidator()
  const shown = useRouteLoaderData('root') as AsOf | undefined
  /** The order that was sent, until it is known to be saved or refused. */
  const asked = useRef('')
  const save = useSave<Arranged>({
    intents: ['reorder'],
    onDone({ change }) {
      order.saved(asked.current, change, shown)
      asked.current = ''
    },
  })
  const { answer, busy } = save
  const key = useRef('')
  const send = () => {
    const wanted = order.unsaved()
    // A try without an answer may have been a success: the same goes out again under its key.
    if (!answer?.unanswered || wanted !== asked.current) key.current = newKey()
    asked.current = wanted
    save.send({ intent: 'reorder', seen: order.seen().join(), wanted, once: key.current }, { action })
  }
  useEffect(() => {
    if (!answer?.newer) return
    order.forget()
    asked.current = ''
    // An answer that refuses brings no data with it.
    revalidate()
  }, [answer])
  // What was moved while one move was being saved is saved; then the cards are shown as they are.
  useEffect(() => {
    if (busy || save.isOnItsWay()) return
    if (!order.unsaved()) order.settle(shown)
    else if (order.unsaved() !== asked.current) send()
  })
  return { save, send, isUnsaved: !busy && order.unsaved() !== '' && order.unsaved() === asked.current }
}

const stepsOf: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }

type RowProps = { item: Card; onMove: (steps: number) => void; children: ReactNode }

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
        <Icon of={GripVertical} size={20} />
      </button>
      <div className={styles.picture}>{item.image && <Picture url={item.image} alt="" sizes="56px" />}</div>
      <p className={styles.text}>
        {item.draft && <span className={styles.mark}>下書き</span>}
        <span>{name}</span>
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
            {way === 'up' ? <Icon of={ChevronUp} size={20} /> : <Icon of={ChevronDown} size={20} />}
          </button>
        ))}
      </div>
    </li>
  )
}
