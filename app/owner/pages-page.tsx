import { EyeOff, Pencil } from 'lucide'
import { Link } from 'react-router'
import { z } from 'zod'
import { answered, failed, refused } from '../forms/answered.server.ts'
import { typedText } from '../forms/form-rules.ts'
import { readFields } from '../forms/read-fields.ts'
import { Refused } from '../forms/refused.tsx'
import { type SaveAnswer, undoOf } from '../forms/save-answer.ts'
import { Live } from '../live/live.tsx'
import { isOwnPageId } from '../pages/own-page.ts'
import { places } from '../pages/page.ts'
import { AddPage } from '../pages/page-adding.tsx'
import { pageFactsOf } from '../pages/page-record.server.ts'
import { pageTexts, placeWords } from '../pages/page-words.ts'
import { addPage, readPages } from '../pages/pages.server.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { authorOf, contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { cleanLine, foldWidth } from '../ui/typed-text.ts'
import type { Route } from './+types/pages-page.ts'
import { readLinkingCards } from './linking-cards.server.ts'
import { LinkingCards } from './linking-cards.tsx'
import styles from './pages-page.module.css'

export async function loader({ context }: Route.LoaderArgs) {
  const { visitor } = contextOf(context)
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), pages: [] }
  const pages = await readPages(context)
  const linking = await readLinkingCards(context)
  return {
    refusal: null,
    pages: pages.map(({ id, path, title, label, place, shown }) => {
      const cards = shown ? [] : (linking.get(id) ?? [])
      return { id, path, title: label || title, place, shown, cards }
    }),
  }
}

const NO_ADDRESS = 'アドレスは、半角の英数字とハイフンで40文字までです'
const NewPage = z.object({
  title: typedText(pageTexts.title.label, pageTexts.title.most, cleanLine, '題を入力してください').min(
    1,
    '題を入力してください',
  ),
  name: z
    .string(NO_ADDRESS)
    .transform((name) => `p-${foldWidth(name).toLowerCase()}`)
    .refine(isOwnPageId, NO_ADDRESS),
})

export async function action({ context, request }: Route.ActionArgs) {
  const { visitor } = contextOf(context)
  const form = await readForm(request, ['title', 'name'])
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor))
  const values = { title: String(form.get('title') ?? ''), name: String(form.get('name') ?? '') }
  const answer = (status: number, said: SaveAnswer) => answered(request, { values, ...said }, status)
  const read = readFields(NewPage, form)
  if (read.errors) return answer(400, { errors: read.errors })
  const { title, name: id } = read.value
  try {
    const facts = { ...pageFactsOf(id, null), title, shown: false, order: 50 }
    const save = await addPage(contextOf(context).db, id, facts, authorOf(context))
    if (!save) return answer(409, { errors: { name: [TAKEN] } })
    return answer(200, { done: '追加しました。', undo: undoOf(save), to: `/pages/${id}/edit?done=added&undo=${save}` })
  } catch (error) {
    return answer(...failed(context, error))
  }
}

const TAKEN = 'このアドレスのページは、すでにあるか、ごみ箱に入っています'

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export const handle = { title: 'ページ', cache: 'none' }

export default function PagesPage({ loaderData: { refusal, pages } }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <Live topics={['site']} />
      <PageTitle title="ページ" english="Pages">
        <LinkButton to="/site">お店の情報</LinkButton>
      </PageTitle>
      {refusal ? <Refused sentence={refusal} /> : <AddPage />}
      {places.map((place) => {
        const own = pages.filter((each) => each.place === place)
        return own.length === 0 ? null : (
          <section key={place} className={page.section}>
            <h2>{placeWords[place]}</h2>
            <ul className={styles.pages}>
              {own.map(({ id, path, title, shown, cards }) => (
                <li key={id}>
                  <Link to={path}>{title}</Link>
                  {!shown && (
                    <span className={styles.hidden}>
                      <Icon of={EyeOff} size={15} />
                      来訪者には見えません
                    </span>
                  )}
                  <Link to={`/pages/${id}/edit`} className={styles.pencil} aria-label={`「${title}」を編集`}>
                    <Icon of={Pencil} size={15} />
                    編集
                  </Link>
                  <LinkingCards cards={cards} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
