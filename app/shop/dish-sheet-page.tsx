import { data } from 'react-router'
import { CardForm, titleOf } from '../cards/card-form.tsx'
import { cardAction, readCardToEdit, readEditing, readNewCard } from '../cards/card-saving.server.ts'
import { readCollectionName } from '../cards/cards-of-page.server.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useReturnLink } from '../ui/use-return-link.ts'
import type { Route } from './+types/dish-sheet-page.ts'

export async function loader({ context, params }: Route.LoaderArgs) {
  const loaded =
    params.id === undefined
      ? { item: null, ...(await readEditing(context, 'dining')) }
      : await readCardToEdit(context, params.id)
  if (!loaded || (loaded.item && loaded.item.collection !== 'dining')) throw data(null, 404)
  const name = await readCollectionName(context, 'dining')
  return { ...loaded, name, blank: await readNewCard(context, 'dining') }
}

export const action = cardAction(({ params: { id } }) => (id === undefined ? { collection: 'dining' } : { id }), {
  sheet: true,
})

export const handle = {
  cache: 'browser',
  title: ({ name, item }: Route.ComponentProps['loaderData']) => titleOf('dining', name, item),
}

export default function DishSheetPage({ loaderData }: Route.ComponentProps) {
  const { item } = loaderData
  const close = useReturnLink('/dining')
  return (
    <Dialog title={titleOf('dining', loaderData.name, item)} onClose={close} sheet>
      <CardForm {...loaderData} key={item?.id} collection="dining" onClose={close} sheet />
    </Dialog>
  )
}
