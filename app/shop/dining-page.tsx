import { Outlet, redirect } from 'react-router'
import { formatAllergens } from '../cards/allergens.ts'
import type { Card } from '../cards/card.ts'
import { CardArticle } from '../cards/card-article.tsx'
import { CardGrid } from '../cards/card-grid.tsx'
import { readCards } from '../cards/cards-of-page.server.ts'
import { EditPencil } from '../cards/edit-links.tsx'
import { orderFields, reorder, switchSoldOut } from '../cards/reorder.server.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { soldOutUntil } from '../cards/sold-out.ts'
import { dayInJapan, timeInJapan } from '../dates/japan.ts'
import { addDays } from '../dates/month.ts'
import { formAction } from '../forms/form-action.server.ts'
import { readDays } from '../hours/business-days.server.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage, previewImageOf } from '../pages/pages.server.ts'
import { refusalOfCalendar } from '../permissions.ts'
import { contextOf, type RequestContext, readOr } from '../request.ts'
import { isShown } from '../sections/shown.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import page from '../ui/page.module.css'
import { useEveryMinute } from '../ui/use-time.ts'
import type { Route } from './+types/dining-page.ts'
import { menuMetadata } from './menu-metadata.ts'

const editor = () => import('./dining-editor.tsx')
const DiningTools = lazyComponent(async () => (await editor()).DiningTools)
const SoldOutSwitch = lazyComponent(async () => (await editor()).SoldOutSwitch)
const ReorderList = lazyComponent(async () => (await import('../cards/reorder-list.tsx')).ReorderList)

export const handle = {
  cache: 'minute',
  inSitemap: true,
  parameters: { add: 'uncached', edit: 'uncached' },
  metadata: import.meta.env.SSR && menuMetadata,
}

export async function loader({ context, url }: Route.LoaderArgs) {
  const params = url.searchParams
  // Redirects from the legacy `?add` and `?edit` URLs.
  if (params.has('add')) throw redirect('/dining/new/add')
  if (params.has('edit')) throw redirect(`/dining/${encodeURIComponent(params.get('edit') ?? '')}/edit`)
  const asOf = contextOf(context).clock()
  const about = await openPage(context, 'dining')
  const { items: dishes, sections, editing } = await readCards(context, 'dining')
  const now = timeInJapan(asOf)
  return {
    about,
    picture: previewImageOf(about, dishes),
    dishes,
    sections: sections.filter((section) => editing.mayEdit || isShown(section, now)),
    editing,
    asOf,
    soldOut: await readSoldOut(context, dishes, asOf),
    arranging: editing.mayEdit && params.has('arrange'),
  }
}

const MAX_CLOSURE_DAYS = 31
const DAYS_AHEAD = 14

// Returns the time (milliseconds since 1970) at which each sold-out dish is available again. An open page compares the
// time every minute.
async function readSoldOut(context: RequestContext, dishes: Card[], asOf: number): Promise<Record<string, number>> {
  const soldOutDishes = dishes.flatMap(({ id, soldOutAt }) => (soldOutAt ? [{ id, soldOutAt }] : []))
  if (soldOutDishes.length === 0) return {}
  const firstDay = addDays(dayInJapan(asOf), -MAX_CLOSURE_DAYS)
  const days = await readOr(context, [], () => readDays(contextOf(context).db, firstDay, MAX_CLOSURE_DAYS + DAYS_AHEAD))
  const availableAgain = soldOutDishes.map(({ id, soldOutAt }) => [id, soldOutUntil(soldOutAt, days)] as const)
  return Object.fromEntries(availableAgain.filter(([, until]) => until > asOf))
}

export const action = formAction({ fields: ['id', ...orderFields], refusal: refusalOfCalendar }, async (submission) =>
  submission.intent === 'reorder' ? reorder(submission, 'dining') : switchSoldOut(submission),
)

export default function DiningPage({ loaderData }: Route.ComponentProps) {
  const { about, dishes, editing, asOf, arranging } = loaderData
  const now = useEveryMinute(asOf)
  const soldOut = ({ id }: Card) => now < (loaderData.soldOut[id] ?? 0)
  return (
    <div className={page.page}>
      <LiveUpdates topics={['dining', 'hours', 'specialDays', 'site']} />
      <PageHead page={about}>
        {editing.mayEdit && <DiningTools arranging={arranging} hasSeveral={dishes.length > 1} />}
      </PageHead>
      <Outlet />
      {arranging ? (
        <ReorderList items={dishes} action="/dining?arrange" />
      ) : (
        <Dishes {...loaderData} soldOut={soldOut} />
      )}
    </div>
  )
}

type DishesProps = Pick<Route.ComponentProps['loaderData'], 'about' | 'dishes' | 'sections' | 'editing'> & {
  soldOut: (dish: Card) => boolean
}

function Dishes({ about, dishes, sections, editing, soldOut }: DishesProps) {
  const grid = (cards: Card[]) => (
    <CardGrid columns="wide" empty={about.empty}>
      {cards.map((dish, index) => (
        <CardArticle
          key={dish.id}
          item={dish}
          sizes="(min-width: 1600px) 24vw, (min-width: 1200px) 31vw, (min-width: 650px) 47vw, 92vw"
          place={index}
          soldOut={soldOut(dish)}
          allergens={formatAllergens(dish)}
          pencil={
            <EditPencil
              item={dish}
              posttitle={about.title}
              editing={editing}
              {...(editing.mayEdit && { over: `/dining/${dish.id}/edit` })}
            />
          }
        >
          {editing.mayEdit && <SoldOutSwitch item={dish} soldOut={soldOut(dish)} />}
        </CardArticle>
      ))}
    </CardGrid>
  )
  if (sections.length === 0) return grid(dishes)
  return groupBySection(sections, dishes).map(({ section, cards }) => (
    <section key={section?.id ?? ''} id={section ? `section-${section.id}` : undefined}>
      {section && <h2>{section.name}</h2>}
      {section?.introduction && <p>{section.introduction}</p>}
      {grid(cards)}
    </section>
  ))
}
