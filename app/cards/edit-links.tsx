import { lazyComponent } from '../ui/lazy-component.tsx'
import type { PencilProps } from './edit-buttons.tsx'
import type { Carried } from './editing.ts'

// Loaded only for visitors who see the buttons.
const buttons = () => import('./edit-buttons.tsx')
const PencilLink = lazyComponent(async () => (await buttons()).PencilLink)
const AddLink = lazyComponent(async () => (await buttons()).AddLink)

export function EditPencil(props: PencilProps) {
  return props.editing.seesPencils ? <PencilLink {...props} /> : null
}

export function AddCard(carried: Carried) {
  return carried.editing.mayEdit ? <AddLink {...carried} /> : null
}
