import { data, redirect } from 'react-router'
import { readDays } from '../business-days/business-days.server.ts'
import { addDays, dayInJapan } from '../calendar/month.ts'
import { orderFields, takeOrder, takeSoldOut } from '../content/arranging.server.ts'
import type { Arranged } from '../content/arranging.ts'
import { Card } from '../content/card.tsx'
import { CardGrid } from '../content/card-grid.tsx'
import { readCards } from '../content/cards.server.ts'
import type { ContentAnswer } from '../content/content-answer.ts'
import type { ContentItem } from '../content/content-item.ts'
import {
  addressAfter,
  asData,
  readBlank,
  readContentForm,
  readToEdit,
  editing as rightsOf,
  takeContent,
} from '../content/content-saving.server.ts'
import { EditPencil, JustSaved } from '../content/edit-links.tsx'
import { soldOutUntil } from '../content/sold-out.ts'
import { Live } from '../live/live.tsx'
import { useAnswer } from '../live/use-answer.ts'
import { clockKey, dbKey, type RequestContext, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import { lazily } from '../ui/lazily.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useEveryMinute } from '../ui/use-every-minute.ts'
import type { Route } from './+types/dining-page.ts'

// Only for those who may edit.
const editor = () => import('./dining-editor.tsx')
const Tools = lazily(async () => (await editor()).Tools)
const SoldOutSwitch = lazily(async () => (await editor()).SoldOutSwitch)
const ArrangeList = lazily(async () => (await import('../content/arrange-list.tsx')).ArrangeList)
const DishSheet = lazily(async () => (await import('./dish-sheet.tsx')).default)

export async function loader({ context, url }: Route.LoaderArgs) {
  const asOf = context.get(clockKey)()
  const { items: dishes, editing } = await readCards(context, 'dining')
  return {
    dishes,
    editing,
    asOf,
    soldOut: await readSoldOut(context, dishes, asOf),
    arranging: editing.mayEdit && url.searchParams.has('arrange'),
    sheet: await readSheet(context, url.searchParams),
  }
}

// What the form of ?add or ?edit=… starts with.
async function readSheet(context: RequestContext, asked: URLSearchParams) {
  const id = asked.get('edit')
  if (id === null && !asked.has('add')) return null
  const found = id === null ? { item: null, ...(await rightsOf(context, 'dining')) } : await readToEdit(context, id)
  if (!found || (found.item && found.item.collection !== 'dining')) throw data(null, 404)
  return { ...found, blank: await readBlank(context, 'dining'), firstKey: crypto.randomUUID() }
}

const LONGEST_CLOSURE = 31
const AHEAD = 14

// Until when each dish is sold out that is: an open page looks at it again as the time passes.
async function readSoldOut(
  context: RequestContext,
  dishes: ContentItem[],
  asOf: number,
): Promise<Record<string, number>> {
  const marked = dishes.flatMap(({ id, soldOutAt }) => (soldOutAt ? [{ id, soldOutAt }] : []))
  if (marked.length === 0) return {}
  const first = addDays(dayInJapan(asOf), -LONGEST_CLOSURE)
  const days = await readOr(context, [], () => readDays(context.get(dbKey), first, LONGEST_CLOSURE + AHEAD))
  const untils = marked.map(({ id, soldOutAt }) => [id, soldOutUntil(soldOutAt, days)] as const)
  return Object.fromEntries(untils.filter(([, until]) => until > asOf))
}

export async function action({ context, request }: Route.ActionArgs) {
  const form = await readContentForm(request, orderFields)
  const intent = String(form.get('intent') ?? '')
  if (intent.endsWith('sold out')) return takeSoldOut(context, form)
  if (intent === 'reorder') return takeOrder(context, form, 'dining')
  const about = intent === 'add' ? ({ collection: 'dining' } as const) : { id: String(form.get('id') ?? '') }
  const answer = await takeContent(context, form, about)
  return answer.saved ? redirect(addressAfter(answer.saved)) : asData(answer)
}

export async function clientAction(given: Route.ClientActionArgs) {
  const { keptUntilSaved } = await editor()
  return keptUntilSaved(given)
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: 'お料理',
    description: '土鍋の炊き込みご飯、出汁巻き玉子、おばんざい。京都の野菜と一番出汁でつくる、朝とお昼のお料理です。',
    path: '/dining',
  })
}

export default function DiningPage({ loaderData, actionData }: Route.ComponentProps) {
  const { dishes, editing, asOf, arranging, sheet } = loaderData
  const now = useEveryMinute(asOf)
  const soldOut = ({ id }: ContentItem) => now < (loaderData.soldOut[id] ?? 0)
  const answer = useAnswer(actionData as (Arranged & Partial<ContentAnswer>) | undefined)
  return (
    <div className={page.page}>
      <Live topics={['dining', 'hours', 'specialDays', 'site']} />
      <JustSaved editing={editing} />
      <PageTitle title="お料理" english="Dining">
        {editing.mayEdit && (
          <Tools arranging={arranging} several={dishes.length > 1} answer={sheet || arranging ? undefined : answer} />
        )}
      </PageTitle>
      {sheet && <DishSheet {...sheet} answer={answer as ContentAnswer | undefined} />}
      {arranging ? (
        <ArrangeList items={dishes} action="/dining?arrange" answer={answer} />
      ) : (
        <CardGrid columns="wide" empty="お料理はただいま準備しております。もうしばらくお待ちください。">
          {dishes.map((dish, index) => (
            <Card
              key={dish.id}
              item={dish}
              sizes="(min-width: 1600px) 24vw, (min-width: 1200px) 31vw, (min-width: 650px) 47vw, 92vw"
              eager={index === 0}
              soldOut={soldOut(dish)}
              pencil={
                <EditPencil
                  item={dish}
                  posttitle="お料理"
                  editing={editing}
                  {...(editing.mayEdit && { to: `?edit=${dish.id}` })}
                />
              }
            >
              {editing.mayEdit && <SoldOutSwitch item={dish} soldOut={soldOut(dish)} />}
            </Card>
          ))}
        </CardGrid>
      )}
    </div>
  )
}
