import { data } from 'react-router'
import { dayInJapan } from '../dates/japan.ts'
import { readHistory } from '../records/history.server.ts'
import { formatInstant } from '../records/history.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { contextOf } from '../request.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/card-edit-page.ts'
import { collectionOf } from './card.ts'
import styles from './card-edit-page.module.css'
import { CardForm, titleOf } from './card-form.tsx'
import { cardAction, readCardToEdit } from './card-saving.server.ts'
import { readCollectionName } from './cards-of-page.server.ts'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const cardToEdit = await readCardToEdit(context, params.id)
  const path = cardToEdit && collectionOf(cardToEdit.item.collection).path
  const isHere = url.pathname.startsWith('/firestoreservice/') || url.pathname.startsWith(`${path}/`)
  if (!cardToEdit || !isHere) throw data(null, 404)
  const history = cardToEdit.mayEdit
    ? await readHistory(context, { subject: 'card', id: cardToEdit.item.id, url })
    : null
  const name = await readCollectionName(context, cardToEdit.item.collection)
  return { ...cardToEdit, name, history, today: dayInJapan(contextOf(context).clock()) }
}

export const action = cardAction(({ params }) => ({ id: params.id ?? '' }))

export const handle = {
  cache: 'browser',
  title: ({ item, name }: Route.ComponentProps['loaderData']) => titleOf(item.collection, name, item),
}

export default function CardEditPage({ loaderData }: Route.ComponentProps) {
  const { item, name, history } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={titleOf(item.collection, name, item)} english="Edit" />
      <CardForm key={item.id} {...loaderData} collection={item.collection} />
      <p className={styles.times}>{`作成 ${formatInstant(item.createdAt)} ／ 更新 ${formatInstant(item.updatedAt)}`}</p>
      {history && <HistoryPanel history={history} />}
    </div>
  )
}
