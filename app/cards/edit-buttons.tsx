import { Pencil, Plus } from 'lucide'
import { Link } from 'react-router'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Card } from './card.ts'
import styles from './edit-buttons.module.css'
import { cardName, type EditLinkData, editLinkState, editUrl } from './editing.ts'

export type PencilProps = EditLinkData & {
  item: Card
  /** URL of the form if it opens over this page. */
  over?: string
}

export function PencilLink({ item, over, ...linkData }: PencilProps) {
  const { mayEdit } = linkData.editing
  return (
    <Link
      to={over ?? editUrl(item)}
      state={over ? { over: true } : editLinkState(linkData, item)}
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

export function AddLink(linkData: EditLinkData) {
  return (
    <LinkButton to={`/firestoreservice?databasename=${linkData.editing.collection}`} state={editLinkState(linkData)}>
      <Icon of={Plus} size={18} />
      追加する
    </LinkButton>
  )
}
