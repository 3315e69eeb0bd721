import { Pencil, Plus } from 'lucide'
import { Link } from 'react-router'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Card } from './card.ts'
import styles from './edit-buttons.module.css'
import { type Carried, cardName, carriedState, editUrl } from './editing.ts'

export type PencilProps = Carried & {
  item: Card
  /** URL of the form if it opens over this page. */
  over?: string
}

/** Link to a card's form, less prominent if the visitor may not edit. */
export function PencilLink({ item, over, ...carried }: PencilProps) {
  const { mayEdit } = carried.editing
  return (
    <Link
      to={over ?? editUrl(item)}
      state={over ? { over: true } : carriedState(carried, item)}
      className={mayEdit ? `${styles.pencil} ${styles.full}` : styles.pencil}
      aria-label={`「${cardName(item)}」を編集`}
      rel="nofollow"
      preventScrollReset={over !== undefined}
    >
      <Icon of={Pencil} size={15} />
      {mayEdit && <span>編集</span>}
    </Link>
  )
}

export function AddLink(carried: Carried) {
  return (
    <LinkButton to={`/firestoreservice?databasename=${carried.editing.collection}`} state={carriedState(carried)}>
      <Icon of={Plus} size={18} />
      追加する
    </LinkButton>
  )
}
