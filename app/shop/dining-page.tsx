import { Outlet, redirect } from 'react-router'
import { TableLink } from '../bookings/table-link.tsx'
import { formatAllergens } from '../cards/allergens.ts'
import type { Card } from '../cards/card.ts'
import { CardArticle } from '../cards/card-article.tsx'
import { CardGrid } from '../cards/card-grid.tsx'
import { readCards } from '../cards/cards-of-page.server.ts'
import { EditPencil } from '../cards/edit-links.tsx'
import { orderFields, reorder, switchSoldOut } from '../cards/reorder.server.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { dayInJapan, timeInJapan } from '../dates/japan.ts'
import { addDays } from '../dates/month.ts'
import { useRevalidationAt } from '../dates/use-revalidation-at.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { SAVE_FAILED, type SaveResult, undoOf } from '../forms/save-result.ts'
import { noSlots } from '../hours/business-day.ts'
import { readDays, readSlotsNow } from '../hours/business-days.server.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage, previewImageOf } from '../pages/pages.server.ts'
import { refusalOfCalendar } from '../permissions.ts'
import { contextOf, type RequestContext, readOr } from '../request.ts'
import { hideSection, SECTION_MISSING } from '../sections/sections.server.ts'
import { formatTime, isShown, whyHidden } from '../sections/shown.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import page from '../ui/page.module.css'
import { useEveryMinute } from '../ui/use-time.ts'
import type { Route } from './+types/dining-page.ts'
import { DishLine, Menu } from './menu.tsx'
import { menuMetadata } from './menu-metadata.ts'
import { soldOutUntil } from './sold-out.ts'

const editor = () => import('./dining-editor.tsx')
const DiningTools = lazyComponent(async () => (await editor()).DiningTools)
const SoldOutSwitch = lazyComponent(async () => (await editor()).SoldOutSwitch)
const SectionTools = lazyComponent(async () => (await editor()).SectionTools)
const ReorderMenu = lazyComponent(async () => (await import('../cards/reorder-list.tsx')).ReorderMenu)

export const handle = {
  cache: 'minute',
  translations: 'dining',
  inSitemap: true,
  parameters: { add: 'uncached', edit: 'uncached', without: 'uncached' },
  metadata: import.meta.env.SSR && menuMetadata,
}

export async function loader({ context, url }: Route.LoaderArgs) {
  const params = url.searchParams
  // Redirects from the legacy `?add` and `?edit` URLs.
  if (params.has('add')) throw redirect('/dining/new/add')
  if (params.has('edit')) throw redirect(`/dining/${encodeURIComponent(params.get('edit') ?? '')}/edit`)
  const asOf = contextOf(context).clock()
  const about = await openPage(context, 'dining')
  const { items: dishes, sections, nextChange, editing } = await readCards(context, 'dining')
  const now = timeInJapan(asOf)
  const { slots, changesAt } =
    sections.length > 0
      ? await readOr(context, WITHOUT_SLOTS, () => readSlotsNow(contextOf(context).db, asOf))
      : WITHOUT_SLOTS
  return {
    about,
    picture: previewImageOf(about, dishes),
    dishes,
    sections: sections.filter((section) => editing.mayEdit || isShown(section, now)),
    slots,
    changesAt: [nextChange, changesAt].filter(Boolean).sort()[0] ?? '',
    editing,
    asOf,
    soldOut: await readSoldOut(context, dishes, asOf),
    // Why guests do not see a dish, by its ID.
    hidden: editing.mayEdit ? Object.fromEntries(dishes.map((dish) => [dish.id, whyHidden(dish, now)])) : {},
    arranging: editing.mayEdit && params.has('arrange'),
  }
}

const WITHOUT_SLOTS = { slots: noSlots, changesAt: '' }
const MAX_CLOSURE_DAYS = 31
const DAYS_AHEAD = 14

// Returns the time (ms since 1970) at which each sold-out dish is available again, for the check of each minute.
async function readSoldOut(context: RequestContext, dishes: Card[], asOf: number): Promise<Record<string, number>> {
  const soldOutDishes = dishes.flatMap(({ id, soldOutAt }) => (soldOutAt ? [{ id, soldOutAt }] : []))
  if (soldOutDishes.length === 0) return {}
  const firstDay = addDays(dayInJapan(asOf), -MAX_CLOSURE_DAYS)
  const days = await readOr(context, [], () => readDays(contextOf(context).db, firstDay, MAX_CLOSURE_DAYS + DAYS_AHEAD))
  const availableAgain = soldOutDishes.map(({ id, soldOutAt }) => [id, soldOutUntil(soldOutAt, days)] as const)
  return Object.fromEntries(availableAgain.filter(([, until]) => until > asOf))
}

export const action = formAction({ fields: ['id', ...orderFields], refusal: refusalOfCalendar }, async (submission) => {
  if (submission.intent === 'reorder') return reorder(submission, 'dining')
  return /section$/.test(submission.intent) ? switchSection(submission) : switchSoldOut(submission)
})

async function switchSection({ db, context, clock, intent, field, author }: Submission): Promise<SaveResult> {
  if (intent !== 'hide section' && intent !== 'show section') throw new Rejection(SAVE_FAILED, 400)
  const isHiding = intent === 'hide section'
  const yesterday = addDays(dayInJapan(clock()), -1)
  const days = isHiding ? await readOr(context, [], () => readDays(db, yesterday, DAYS_AHEAD + 1)) : []
  const until = isHiding ? timeInJapan(soldOutUntil(author.at, days)) : ''
  const save = unwrap(await hideSection(db, field('id'), until, author), { missing: SECTION_MISSING })
  const done = until ? `${formatTime(until)}まで、お客さまに表示しません。` : 'お客さまに表示します。'
  return { done, ...(save && { undo: undoOf(save) }) }
}

export default function DiningPage({ loaderData }: Route.ComponentProps) {
  const { about, dishes, sections, editing, asOf, arranging } = loaderData
  const now = useEveryMinute(asOf)
  useRevalidationAt(loaderData.changesAt, asOf)
  return (
    <div className={page.page}>
      <LiveUpdates topics={['dining', 'hours', 'specialDays', 'site']} />
      <PageHead page={about}>
        {editing.mayEdit && <DiningTools arranging={arranging} hasSeveral={dishes.length + sections.length > 1} />}
        <TableLink />
      </PageHead>
      <Outlet />
      {arranging ? <ReorderMenu groups={groupBySection(sections, dishes)} /> : <Dishes {...loaderData} now={now} />}
    </div>
  )
}

type DishesProps = Route.ComponentProps['loaderData'] & { now: number }

function Dishes({ about, dishes, sections, slots, editing, now, soldOut, hidden }: DishesProps) {
  const isSoldOut = ({ id }: Card) => now < (soldOut[id] ?? 0)
  const propsOf = (dish: Card) => ({
    soldOut: isSoldOut(dish),
    hidden: hidden[dish.id],
    allergens: formatAllergens(dish),
    pencil: editing.seesPencils && (
      <EditPencil
        item={dish}
        posttitle={about.title}
        editing={editing}
        {...(editing.mayEdit && { over: `/dining/${dish.id}/edit` })}
      />
    ),
    children: editing.mayEdit && <SoldOutSwitch item={dish} soldOut={isSoldOut(dish)} />,
  })
  const renderCards = (cards: Card[], heading: 'h2' | 'h3' = 'h2') => (
    <CardGrid columns="wide" empty={about.empty}>
      {cards.map((dish, index) => (
        <CardArticle
          key={dish.id}
          item={dish}
          sizes="(min-width: 1600px) 24vw, (min-width: 1200px) 31vw, (min-width: 650px) 47vw, 92vw"
          place={index}
          heading={heading}
          {...propsOf(dish)}
        />
      ))}
    </CardGrid>
  )
  if (sections.length === 0) return renderCards(dishes)
  return (
    <Menu
      groups={groupBySection(sections, dishes)}
      slots={slots}
      now={now}
      mayEdit={editing.mayEdit}
      renderCards={renderCards}
      renderLine={(dish, heading) => <DishLine key={dish.id} dish={dish} heading={heading} {...propsOf(dish)} />}
      renderTools={(section) => editing.mayEdit && <SectionTools section={section} now={timeInJapan(now)} />}
    />
  )
}
