import { Pencil } from 'lucide'
import { Link } from 'react-router'
import { Icon } from '../ui/icon.tsx'
import { lazily } from '../ui/lazily.tsx'
import type { Card } from './card.ts'
import styles from './edit-links.module.css'
import { type Carried, carriedState, editAddress, nameOf } from './editing.ts'

/** Leads to a card's form: quiet for those who may not save there. `over` is its address where it lies over this page. */
export function EditPencil({ item, over, ...carried }: Carried & { item: Card; over?: string }) {
  const { mayEdit, seesPencils } = carried.editing
  if (!seesPencils) return null
  return (
    <Link
      to={over ?? editAddress(item)}
      state={over ? { over: true } : carriedState(carried, item)}
      className={mayEdit ? `${styles.pencil} ${styles.full}` : styles.pencil}
      aria-label={`「${nameOf(item)}」を編集`}
      rel="nofollow"
      preventScrollReset={over !== undefined}
    >
      <Icon of={Pencil} size={15} />
      {mayEdit && <span>編集</span>}
    </Link>
  )
}

// Only for those who may edit.
const AddLink = lazily(async () => (await import('./add-link.tsx')).default)

/** Leads to an empty form; only those who may save there see it. */
export function AddCard(carried: Carried) {
  if (!carried.editing.mayEdit) return null
  return <AddLink {...carried} />
}
