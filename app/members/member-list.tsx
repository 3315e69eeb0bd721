import { useEffect, useRef } from 'react'
import { Form, Link, useLocation } from 'react-router'
import type { Leaving } from '../saving/use-leaving.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Pager } from '../ui/pager.tsx'
import { MemberCard } from './member-card.tsx'
import styles from './member-list.module.css'
import type { listMembers } from './members.server.ts'

type Props = Awaited<ReturnType<typeof listMembers>> & { search: string; awaitingOnly: boolean; leaving: Leaving }

/** Those who were found, a page at a time, and the search for them. */
export function MemberList({ leaving, ...list }: Props) {
  const { members, count, awaiting, page: shown, pages, search, awaitingOnly } = list
  const none = search ? `「${search}」に合うメンバーは見つかりませんでした。` : 'あてはまる方はいません。'
  const { field, heading, ask } = useList(search, count === 0 ? none : `${count}名見つかりました。`)
  return (
    <section aria-labelledby="members">
      <h2 id="members" className={styles.heading} ref={heading} tabIndex={-1}>
        メンバー <small>{count}名</small>
      </h2>
      <Form className={styles.search} role="search" preventScrollReset onSubmit={() => ask('names')}>
        <label>
          <span>名前で探す</span>
          <input type="search" name="q" defaultValue={search} ref={field} maxLength={100} />
        </label>
        <Button type="submit">探す</Button>
        {awaiting > 0 && !awaitingOnly && (
          <Link to="/memberlist?awaiting" className={styles.all} preventScrollReset>
            承認待ちの方だけ（{awaiting}名）
          </Link>
        )}
        {(search || awaitingOnly) && (
          <Link to="/memberlist" className={styles.all} preventScrollReset>
            すべて表示する
          </Link>
        )}
      </Form>
      {count === 0 && <p>{none}</p>}
      <ul className={styles.list}>
        {members.map((member) => (
          <li key={member.id}>
            <MemberCard member={member} leaving={leaving} awaitingOnly={awaitingOnly} />
          </li>
        ))}
      </ul>
      <Pager
        label="メンバー一覧のページ"
        page={shown}
        pages={pages}
        to={(number) => pageAddress(list, number)}
        words={['前のページ', '次のページ']}
        attributes={{ preventScrollReset: true, onClick: () => ask('page') }}
        className={styles.pages}
      >
        <span>
          {shown} / {pages}ページ
        </span>
      </Pager>
    </section>
  )
}

/** What was asked of the list is heard, or has the focus, when it comes; the field says what the address does. */
function useList(search: string, found: string) {
  const { key } = useLocation()
  const field = useRef<HTMLInputElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const asked = useRef<'names' | 'page'>(null)
  useEffect(() => {
    if (asked.current === 'names') announce(found)
    if (asked.current === 'page') {
      heading.current?.focus({ preventScroll: true })
      heading.current?.scrollIntoView()
    }
    asked.current = null
  }, [key])
  const shown = useRef(search)
  useEffect(() => {
    if (shown.current !== search && field.current) field.current.value = search
    shown.current = search
  }, [search])
  const ask = (what: 'names' | 'page') => {
    asked.current = what
  }
  return { field, heading, ask }
}

function pageAddress({ search, awaitingOnly }: { search: string; awaitingOnly: boolean }, number: number) {
  const query = new URLSearchParams({
    ...(search && { q: search }),
    ...(awaitingOnly && { awaiting: '' }),
    page: String(number),
  })
  return `/memberlist?${query}`
}
