import { Pencil, Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import button from '../ui/button.module.css'
import type { ContentItem } from './content-item.ts'
import { nameOf } from './content-words.ts'
import styles from './edit-links.module.css'
import { type Editing, editAddress } from './editing.ts'

// The form reads all of this anew: what the browser holds may be old or forged.
type Carried = { posttitle: string; editing: Editing }

const stateOf = ({ posttitle, editing }: Carried, item?: ContentItem) => ({
  posttitle,
  databasename: item?.collection ?? editing.collection,
  targetitems: editing.fields,
  ...(item && { targetData: item }),
})

/** Leads to a card's form: quiet for those who may not save there. `to` is an address other than the form's own. */
export function EditPencil({ item, to = editAddress(item), ...carried }: Carried & { item: ContentItem; to?: string }) {
  const { mayEdit, seesPencils } = carried.editing
  if (!seesPencils) return null
  return (
    <Link
      to={to}
      state={stateOf(carried, item)}
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

/** Leads to an empty form; only those who may save there see it. */
export function AddCard(carried: Carried) {
  const { collection, mayEdit } = carried.editing
  if (!mayEdit) return null
  return (
    <Link to={`/firestoreservice?databasename=${collection}`} state={stateOf(carried)} className={button.button}>
      <Plus size={18} aria-hidden />
      追加する
    </Link>
  )
}

const SavedNotice = lazy(async () => ({ default: (await import('./saved-notice.tsx')).SavedNotice }))

/** On a page's top, what its editor has just done to it. */
export function JustSaved({ editing }: { editing: Editing }) {
  if (!editing.mayEdit) return null
  return (
    <Suspense>
      <SavedNotice />
    </Suspense>
  )
}
