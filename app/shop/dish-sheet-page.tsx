import { useState } from 'react'
import { data } from 'react-router'
import { CardForm, titleOf } from '../cards/card-form.tsx'
import type { CardResult } from '../cards/card-result.ts'
import { cardAction, readCardToEdit, readDuplicate, readEditing, readNewCard } from '../cards/card-saving.server.ts'
import { readCollectionName } from '../cards/cards-of-page.server.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useReturnLink } from '../ui/use-return-link.ts'
import type { Route } from './+types/dish-sheet-page.ts'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const loaded =
    params.id === undefined
      ? { item: null, ...(await readEditing(context, 'dining')) }
      : await readCardToEdit(context, params.id)
  if (!loaded || (loaded.item && loaded.item.collection !== 'dining')) throw data(null, 404)
  const name = await readCollectionName(context, 'dining')
  const original = url.searchParams.get('from')
  const blank = original === null ? await readNewCard(context, 'dining') : await readDuplicate(context, original)
  if (!blank) throw data(null, 404)
  const section = loaded.sections.find(({ id }) => id === url.searchParams.get('section'))?.id
  return { ...loaded, name, original, blank: { ...blank, ...(section && { section }) } }
}

export const action = cardAction(({ params: { id } }) => (id === undefined ? { collection: 'dining' } : { id }), {
  sheet: true,
})

export const handle = {
  cache: 'browser',
  title: ({ name, item }: Route.ComponentProps['loaderData']) => titleOf('dining', name, item),
}

export default function DishSheetPage({ loaderData }: Route.ComponentProps) {
  const { name, item, original, blank, ...editing } = loaderData
  const close = useReturnLink('/dining')
  const [{ added, round }, setAdded] = useState<{ added?: CardResult; round: number }>({ round: 0 })
  const newCard = {
    blank: added?.blank ?? blank,
    draftName: original === null || added ? 'dining new' : `dining copy ${original}`,
    added,
    onAdded: (added: CardResult) => setAdded({ added, round: round + 1 }),
  }
  return (
    <Dialog title={titleOf('dining', name, item)} onClose={close} sheet>
      <CardForm
        {...editing}
        key={item?.id ?? `${original} ${round}`}
        collection="dining"
        item={item}
        {...(!item && newCard)}
        sheet
      />
    </Dialog>
  )
}
