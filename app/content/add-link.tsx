import { Plus } from 'lucide-react'
import { Link } from 'react-router'
import button from '../ui/button.module.css'
import { type Carried, carriedState } from './editing.ts'

/** Leads to the empty form of a collection. */
export default function AddLink(carried: Carried) {
  return (
    <Link
      to={`/firestoreservice?databasename=${carried.editing.collection}`}
      state={carriedState(carried)}
      className={button.button}
    >
      <Plus size={18} aria-hidden />
      追加する
    </Link>
  )
}
