import { Pencil } from 'lucide-react'
import { Link } from 'react-router'
import { lazily } from '../ui/lazily.tsx'
import type { ContentItem } from './content-item.ts'
import { nameOf } from './content-words.ts'
import styles from './edit-links.module.css'
import { type Carried, carriedState, type Editing, editAddress } from './editing.ts'

/** Leads to a card's form: quiet for those who may not save there. `to` is an address other than the form's own. */
export function EditPencil({ item, to = editAddress(item), ...carried }: Carried & { item: ContentItem; to?: string }) {
  const { mayEdit, seesPencils } = carried.editing
  if (!seesPencils) return null
  return (
    <Link
      to={to}
      state={carriedState(carried, item)}
      className={mayEdit ? `${styles.pencil} ${styles.full}` : styles.pencil}
      aria-label={`「${nameOf(item)}」を編集`}
      rel="nofollow"
      preventScrollReset={to.startsWith('?')}
    >
      <Pencil size={15} aria-hidden />
      {mayEdit && <span>編集</span>}
    </Link>
  )
}

// Only for those who may edit.
const AddLink = lazily(async () => (await import('./add-link.tsx')).default)
const SavedNotice = lazily(async () => (await import('./saved-notice.tsx')).SavedNotice)

/** Leads to an empty form; only those who may save there see it. */
export function AddCard(carried: Carried) {
  if (!carried.editing.mayEdit) return null
  return <AddLink {...carried} />
}

/** On a page's top, what its editor has just done to it. */
export function JustSaved({ editing }: { editing: Editing }) {
  if (!editing.mayEdit) return null
  return <SavedNotice />
}
