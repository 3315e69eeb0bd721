import { data, Link } from 'react-router'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { listChangesOf } from '../records/history.server.ts'
import { changeLabels, formatInstant, historyPageIn } from '../records/history.ts'
import { contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { Pager } from '../ui/pager.tsx'
import type { Route } from './+types/staff-changes-page.ts'
import styles from './staff.module.css'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const id = params.id
  // The query includes former staff, because the history still contains their changes.
  const person = await db.selectFrom('staff').selectAll().where('id', '=', id).executeTakeFirst()
  if (!person) throw data(null, 404)
  const pageNumber = historyPageIn(url)
  const history = await listChangesOf(context, person.accountId, pageNumber)
  return { id, name: person.name, page: pageNumber, ...history }
}

export const handle = { title: '変更履歴', cache: 'none' }

export default function StaffChangesPage({ loaderData: result }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={`${result.name} さんの変更履歴`} english="Changes">
        <LinkButton to="/staff">スタッフ</LinkButton>
      </PageTitle>
      {result.changes.length === 0 && <p>まだ変更はありません。</p>}
      <ul className={styles.changes}>
        {result.changes.map(({ id, at, kind, where, title, address }) => (
          <li key={id}>
            <time dateTime={at}>{formatInstant(at)}</time>
            <span>
              {`${where}の`}
              <Link to={address}>{title}</Link>
              {`を${changeLabels[kind]}`}
            </span>
          </li>
        ))}
      </ul>
      <Pager
        label="ほかの変更"
        page={result.page}
        pages={result.page + Number(result.older)}
        to={(number) => `/staff/${result.id}?changes=${number}`}
      />
    </div>
  )
}
