import { useEffect } from 'react'
import { data, Link, useLocation, useNavigate } from 'react-router'
import { dayInJapan } from '../dates/japan.ts'
import { contextOf } from '../request.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/card-add-page.ts'
import { type CollectionName, isCollectionName } from './card.ts'
import styles from './card-add-page.module.css'
import { CardForm, titleOf } from './card-form.tsx'
import { cardAction, readEditing, readNewCard } from './card-saving.server.ts'
import { canSeeCards, listVisibleCollections, readCollectionName } from './cards-of-page.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const collection = collectionIn(url)
  if (collection && !(await canSeeCards(context, collection))) throw data(null, 404)
  if (!collection)
    return { collection, unknown: url.searchParams.has('databasename'), shown: await listVisibleCollections(context) }
  return {
    collection,
    name: await readCollectionName(context, collection),
    ...(await readEditing(context, collection)),
    blank: await readNewCard(context, collection),
    today: dayInJapan(contextOf(context).clock()),
  }
}

export const action = cardAction(({ url }) => ({ collection: collectionIn(url) }))

// Example URLs: /firestoreservice?databasename=dining, /tennisrelated/new/add.
function collectionIn({ pathname, searchParams }: URL) {
  const [, first] = pathname.split('/')
  const name = first === 'firestoreservice' ? searchParams.get('databasename') : first
  return isCollectionName(name) ? name : null
}

export const handle = {
  cache: 'browser',
  title: (card: Route.ComponentProps['loaderData']) =>
    card.collection ? titleOf(card.collection, card.name, null) : CHOOSER_TITLE,
}

const CHOOSER_TITLE = '項目の追加'

export default function CardAddPage({ loaderData }: Route.ComponentProps) {
  const { collection } = loaderData
  if (!collection) return <Chooser unknown={loaderData.unknown} shown={loaderData.shown} />
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={titleOf(loaderData.collection, loaderData.name, null)} english="Add" />
      <CardForm key={collection} {...loaderData} item={null} />
    </div>
  )
}

type ChooserProps = { unknown: boolean; shown: { name: CollectionName; inWords: string }[] }

function Chooser({ unknown, shown }: ChooserProps) {
  const { state } = useLocation()
  const navigate = useNavigate()
  const requestedName = shown.find(({ name }) => name === state?.databasename)?.name
  // Navigates in an effect, because a reload does not send the navigation state to the server.
  useEffect(() => {
    if (requestedName && !unknown) navigate(`/firestoreservice?databasename=${requestedName}`, { state, replace: true })
  }, [requestedName, unknown])
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={CHOOSER_TITLE} english="Add" />
      {unknown && <Notice kind="trouble">その種類の項目はありません。下からお選びください。</Notice>}
      <p>どのページに追加しますか？</p>
      <ul className={styles.choices}>
        {shown.map(({ name, inWords }) => (
          <li key={name}>
            <Link to={`/firestoreservice?databasename=${name}`}>{inWords}</Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
