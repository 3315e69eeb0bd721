import { EyeOff, Pencil } from 'lucide'
import { Link } from 'react-router'
import { z } from 'zod'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { textField } from '../forms/form-rules.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { parseFields } from '../forms/read-fields.ts'
import { undoOf } from '../forms/save-result.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { isOwnPageId } from '../pages/own-page.ts'
import { places } from '../pages/page.ts'
import { AddPage } from '../pages/page-adding.tsx'
import { pageSettingsOf } from '../pages/page-record.server.ts'
import { pageTexts, placeLabels } from '../pages/page-words.ts'
import { addPage, readPages } from '../pages/pages.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
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
  assertAllowed(refusalOfAdministration(contextOf(context).visitor))
  const pages = await readPages(context)
  const linking = await readLinkingCards(context)
  return pages.map(({ id, path, title, label, place, shown }) => {
    const cards = shown ? [] : (linking.get(id) ?? [])
    return { id, path, title: label || title, place, shown, cards }
  })
}

const INVALID_PATH = 'アドレスは、半角の英数字とハイフンで40文字までです'
const NewPage = z.object({
  title: textField(pageTexts.title.label, pageTexts.title.most, cleanLine, 'タイトルを入力してください').min(
    1,
    'タイトルを入力してください',
  ),
  name: z
    .string(INVALID_PATH)
    .transform((name) => `p-${foldWidth(name).toLowerCase()}`)
    .refine(isOwnPageId, INVALID_PATH),
})

export const action = formAction(
  { fields: ['title', 'name', 'once'], refusal: refusalOfAdministration, repeats: ['title', 'name'] },
  async (submission) => {
    const { db, form, author } = submission
    const { title, name: id } = parseFields(NewPage, form)
    const settings = { ...pageSettingsOf(id, null), title, shown: false, order: 50 }
    const save = await runOnce(db, submissionKeyOf(submission, 'page'), async (trx) => {
      const added = await addPage(trx, id, settings, author)
      if (!added) throw new Rejection({ errors: { name: [PATH_TAKEN] } })
      return added
    })
    return { done: '追加しました。', undo: undoOf(save), to: `/pages/${id}/edit?done=added&undo=${save}` }
  },
)

const PATH_TAKEN =
  'このアドレスは、いまあるページか、以前に削除したページのものです。別のアドレスを入力してください。ごみ箱にあるページは、元に戻せます。'

export const handle = { title: 'ページ', cache: 'none' }

export default function PagesPage({ loaderData: pages }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site']} />
      <PageTitle title="ページ" english="Pages">
        <LinkButton to="/site">お店の情報</LinkButton>
      </PageTitle>
      <AddPage />
      {places.map((place) => {
        const placedPages = pages.filter((each) => each.place === place)
        return placedPages.length === 0 ? null : (
          <section key={place} className={page.section}>
            <h2>{placeLabels[place]}</h2>
            <ul className={styles.pages}>
              {placedPages.map(({ id, path, title, shown, cards }) => (
                <li key={id}>
                  <Link to={path}>{title}</Link>
                  {!shown && (
                    <span className={styles.hidden}>
                      <Icon of={EyeOff} size={15} />
                      非公開
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
