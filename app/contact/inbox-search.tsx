import { Link } from 'react-router'
import { SearchForm } from '../ui/search-form.tsx'
import { useSearchResult } from '../ui/use-search-result.ts'
import styles from './inbox.module.css'
import { filterLabels, type InboxView, inboxUrl, MAX_SEARCH_LENGTH } from './inbox-view.ts'

export function InboxSearch({ view, count, held }: { view: InboxView; count: number; held: number }) {
  const { show, sought } = view
  const sentence = count === 0 ? emptySentence(view) : sought ? `${count}件見つかりました。` : `${count}件あります。`
  const { field, ask } = useSearchResult(sought, sentence)
  return (
    <>
      <nav className={styles.shows} aria-label="お問い合わせの種類">
        {(Object.keys(filterLabels) as InboxView['show'][]).map((filter) => (
          <Link
            key={filter}
            to={inboxUrl({ show: filter, sought, page: 1 })}
            aria-current={filter === show ? 'true' : undefined}
            preventScrollReset
            onClick={() => ask('words')}
          >
            {filter === 'spam' && held > 0 ? `${filterLabels.spam}（${held}）` : filterLabels[filter]}
          </Link>
        ))}
      </nav>
      <SearchForm
        label="件名・本文・返信先から探す"
        sought={sought}
        field={field}
        most={MAX_SEARCH_LENGTH}
        onSubmit={() => ask('words')}
      >
        {show !== 'all' && <input type="hidden" name="show" value={show} />}
        {sought && (
          <Link to={inboxUrl({ show, sought: '', page: 1 })} className={styles.clear} preventScrollReset>
            検索条件を解除する
          </Link>
        )}
      </SearchForm>
      <p className={styles.found}>{sentence}</p>
      {show === 'spam' && <p className={styles.found}>{SPAM_EXPLANATION}</p>}
    </>
  )
}

const SPAM_EXPLANATION =
  '広告と思われるものと、短時間に多数届いたものです。メールでは通知していません。届いてから30日で、自動で削除されます。'

function emptySentence({ show, sought }: InboxView) {
  if (sought) return '検索条件に合うお問い合わせはありません。'
  return {
    all: 'お問い合わせはまだありません。届くと、ここに新しい順に並びます。',
    unread: '未読のお問い合わせはありません。',
    open: '未対応のお問い合わせはありません。',
    done: '対応済みのお問い合わせは、まだありません。',
    spam: '迷惑メールの可能性があるものはありません。',
  }[show]
}
