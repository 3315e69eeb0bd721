import { Link } from 'react-router'
import type { ListSave } from '../forms/use-list-save.ts'
import type { listMembers } from '../members/members.server.ts'
import { Pager } from '../ui/pager.tsx'
import { SearchForm } from '../ui/search-form.tsx'
import { useSearchResult } from '../ui/use-search-result.ts'
import { MemberCard } from './member-card.tsx'
import styles from './member-list.module.css'

type Props = Awaited<ReturnType<typeof listMembers>> & { search: string; awaitingOnly: boolean; listSave: ListSave }

export function MemberList({ listSave, ...list }: Props) {
  const { members, count, awaiting, page: shownPage, pages, search, awaitingOnly } = list
  const emptyText = search ? `「${search}」に合うメンバーは見つかりませんでした。` : '該当する方はいません。'
  const { field, heading, ask } = useSearchResult(search, count === 0 ? emptyText : `${count}名見つかりました。`)
  return (
    <section aria-labelledby="members">
      <h2 id="members" className={styles.heading} ref={heading} tabIndex={-1}>
        メンバー <small>{`${count}名`}</small>
      </h2>
      <SearchForm label="名前で探す" sought={search} field={field} most={100} onSubmit={() => ask('words')}>
        {awaiting > 0 && !awaitingOnly && (
          <Link to="/memberlist?awaiting" className={styles.all} preventScrollReset>
            {`承認待ちの方だけ（${awaiting}名）`}
          </Link>
        )}
        {(search || awaitingOnly) && (
          <Link to="/memberlist" className={styles.all} preventScrollReset>
            すべて表示する
          </Link>
        )}
      </SearchForm>
      {count === 0 && <p>{emptyText}</p>}
      <ul className={styles.list}>
        {members.map((member) => (
          <li key={member.id}>
            <MemberCard member={member} listSave={listSave} awaitingOnly={awaitingOnly} />
          </li>
        ))}
      </ul>
      <Pager
        label="メンバー一覧のページ"
        page={shownPage}
        pages={pages}
        to={(number) => pageUrl(list, number)}
        words={['前のページ', '次のページ']}
        attributes={{ preventScrollReset: true, onClick: () => ask('page') }}
        className={styles.pages}
      >
        <span>{`${shownPage} / ${pages}ページ`}</span>
      </Pager>
    </section>
  )
}

function pageUrl({ search, awaitingOnly }: { search: string; awaitingOnly: boolean }, number: number) {
  const query = new URLSearchParams({
    ...(search && { q: search }),
    ...(awaitingOnly && { awaiting: '' }),
    page: String(number),
  })
  return `/memberlist?${query}`
}
