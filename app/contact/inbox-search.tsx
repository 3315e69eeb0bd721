import { Link } from 'react-router'
import { SearchForm } from '../ui/search-form.tsx'
import { useSearchResult } from '../ui/use-search-result.ts'
import styles from './inbox.module.css'
import { type InboxView, inboxAddress, MAX_SOUGHT, shows } from './inbox-view.ts'

export function InboxSearch({ view, count, held }: { view: InboxView; count: number; held: number }) {
  const { show, sought } = view
  const said = count === 0 ? nothingIn(view) : sought ? `${count}件見つかりました。` : `${count}件あります。`
  const { field, ask } = useSearchResult(sought, said)
  return (
    <>
      <nav className={styles.shows} aria-label="お問い合わせの種類">
        {(Object.keys(shows) as InboxView['show'][]).map((each) => (
          <Link
            key={each}
            to={inboxAddress({ show: each, sought, page: 1 })}
            aria-current={each === show ? 'true' : undefined}
            preventScrollReset
            onClick={() => ask('words')}
          >
            {each === 'spam' && held > 0 ? `${shows.spam}（${held}）` : shows[each]}
          </Link>
        ))}
      </nav>
      <SearchForm
        label="件名・本文・返信先から探す"
        sought={sought}
        field={field}
        most={MAX_SOUGHT}
        onSubmit={() => ask('words')}
      >
        {show !== 'all' && <input type="hidden" name="show" value={show} />}
        {sought && (
          <Link to={inboxAddress({ show, sought: '', page: 1 })} className={styles.clear} preventScrollReset>
            検索条件を解除する
          </Link>
        )}
      </SearchForm>
      <p className={styles.found}>{said}</p>
      {show === 'spam' && <p className={styles.found}>{HELD}</p>}
    </>
  )
}

const HELD =
  '広告と思われるものと、短時間に多数届いたものです。メールでは通知していません。届いてから30日で、自動で削除されます。'

function nothingIn({ show, sought }: InboxView) {
  if (sought) return '検索条件に合うお問い合わせはありません。'
  return {
    all: 'お問い合わせはまだありません。届くと、ここに新しい順に並びます。',
    unread: '未読のお問い合わせはありません。',
    open: '未対応のお問い合わせはありません。',
    done: '対応済みのお問い合わせは、まだありません。',
    spam: '迷惑メールの可能性があるものはありません。',
  }[show]
}
