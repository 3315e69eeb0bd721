import { lazily } from '../ui/lazily.tsx'
import type { PencilProps } from './edit-buttons.tsx'
import type { Carried } from './editing.ts'

// Only for those who see them.
const buttons = () => import('./edit-buttons.tsx')
const PencilLink = lazily(async () => (await buttons()).PencilLink)
const AddLink = lazily(async () => (await buttons()).AddLink)

/** Leads to a card's form, for those who see that way. */
export function EditPencil(props: PencilProps) {
  return props.editing.seesPencils ? <PencilLink {...props} /> : null
}

/** Leads to an empty form; only those who may save there see it. */
export function AddCard(carried: Carried) {
  return carried.editing.mayEdit ? <AddLink {...carried} /> : null
}
