import { lazyComponent } from '../ui/lazy-component.tsx'
import type { PencilProps } from './edit-buttons.tsx'
import type { EditLinkData } from './editing.ts'

// The script of the buttons loads only for visitors who see the buttons.
const loadButtons = () => import('./edit-buttons.tsx')
const PencilLink = lazyComponent(async () => (await loadButtons()).PencilLink)
const AddLink = lazyComponent(async () => (await loadButtons()).AddLink)

export function EditPencil(props: PencilProps) {
  return props.editing.seesPencils ? <PencilLink {...props} /> : null
}

export function AddCard(linkData: EditLinkData) {
  return linkData.editing.mayEdit ? <AddLink {...linkData} /> : null
}
