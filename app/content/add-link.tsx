import { Plus } from 'lucide'
import { Link } from 'react-router'
import button from '../ui/button.module.css'
import { Icon } from '../ui/icon.tsx'
import { type Carried, carriedState } from './editing.ts'

/** Leads to the empty form of a collection. */
export default function AddLink(carried: Carried) {
  return (
    <Link
      to={`/firestoreservice?databasename=${carried.editing.collection}`}
      state={carriedState(carried)}
      className={button.button}
    >
      <Icon of={Plus} size={18} />
      追加する
    </Link>
  )
}
