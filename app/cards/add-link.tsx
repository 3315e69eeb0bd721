import { Plus } from 'lucide'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Carried, carriedState } from './editing.ts'

/** Leads to the empty form of a collection. */
export default function AddLink(carried: Carried) {
  return (
    <LinkButton to={`/firestoreservice?databasename=${carried.editing.collection}`} state={carriedState(carried)}>
      <Icon of={Plus} size={18} />
      追加する
    </LinkButton>
  )
}
