import { Link } from 'react-router'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { refusalOfCalendar } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { translationsTitle } from '../translations/translation-links.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/translations-page.ts'
import { listTranslations } from './translation-groups.server.ts'
import styles from './translations.module.css'

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  const site = await readSite(db)
  assertAllowed(refusalOfCalendar(visitor, site))
  const groups = (await listTranslations(context)).map(({ records, ...group }) => {
    const texts = records.flatMap(({ texts }) => texts)
    const translated = texts.filter(({ text, standard }) => text !== '' || standard)
    const stale = texts.filter(({ before }) => before !== undefined)
    return { ...group, texts: texts.length, translated: translated.length, stale: stale.length }
  })
  const topics = [...new Set(groups.map(({ topic }) => topic))]
  return { isOn: site.otherLanguages, topics, groups: groups.filter(({ texts }) => texts > 0) }
}

const TITLE = '英語の文章'

export const handle = { title: TITLE, cache: 'none' }

export default function TranslationsPage({ loaderData: { isOn, topics, groups } }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site', ...topics]} />
      <PageTitle title={TITLE} english="Translations" />
      {!isOn && (
        <Notice>
          <p>
            いまは英語のページを公開していません。文章を先に用意しておき、
            <Link to="/site#languages">お店の情報の「ことば」</Link>
            で公開できます。
          </p>
        </Notice>
      )}
      {[...new Set(groups.map(({ language }) => language))].map((language) => (
        <section key={language} className={page.section} aria-label={translationsTitle(language)}>
          <ul className={styles.groups}>
            {groups
              .filter((group) => group.language === language)
              .map(({ group, label, texts, translated, stale }) => (
                <li key={group}>
                  <Link to={`/translations/${language}/${group}`}>
                    <b>{label}</b>
                    <span>{`${translated} / ${texts} 件`}</span>
                    {stale > 0 && <span className={styles.stale}>{`日本語のあとに変わっていません：${stale}件`}</span>}
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
