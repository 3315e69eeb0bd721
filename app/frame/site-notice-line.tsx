import { X } from 'lucide'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { arrivals } from '../members/arrivals.ts'
import { undoOf } from '../saving/save-answer.ts'
import { Done } from '../saving/save-form.tsx'
import { type SiteNotice, tellSite, useSiteNotice } from '../saving/site-notice.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './site-notice-line.module.css'

// By the names that an address gives them, for pages without scripts.
const wordsOfAll: Record<string, string> = {
  added: '追加しました。',
  saved: '保存しました。',
  unchanged: '変わったところはありませんでした。',
  merged: 'ほかの方の変更とあわせて保存しました。',
  reordered: '並び順を保存しました。',
  deleted: '削除しました。',
  'put back': '選んだ時点の内容に戻しました。',
  'taken back': '元に戻しました。',
  hours: '営業時間を保存しました。',
}
const wordsOf: Record<string, Record<string, string>> = { '/memberlist': arrivals }

/** At the foot of the screen, whatever is scrolled: what was just done where its form is gone, and its way back. */
export default function SiteNoticeLine() {
  const location = useLocation()
  const told = useSiteNotice()
  // Two notices can have the same words: the second must not show what became of the first one's undo.
  const [last, setLast] = useState({ told, round: 0 })
  if (told !== last.told) setLast({ told, round: last.round + 1 })
  const here = told?.at === location.pathname
  useEffect(() => {
    if (told && !here) tellSite(null)
  }, [location.pathname])
  const notice = here ? told : noticeIn(location)
  if (!notice) return null
  return (
    <section className={styles.line} aria-label="お知らせ">
      <Done key={here ? last.round : `${notice.done} ${notice.undo?.fields.save}`} {...notice}>
        <Link
          to={withoutNotice(location)}
          replace
          preventScrollReset
          className={styles.close}
          onClick={() => tellSite(null)}
        >
          <Icon of={X} size={20} label="お知らせを閉じる" />
        </Link>
      </Done>
    </section>
  )
}

function noticeIn({ pathname, search }: { pathname: string; search: string }): SiteNotice | null {
  const words = { ...wordsOfAll, ...wordsOf[pathname] }
  const query = new URLSearchParams(search)
  const name = query.get('done') ?? ''
  const done = Object.hasOwn(words, name) ? words[name] : undefined
  const save = query.get('undo')
  return done ? { done, at: '', ...(save && { undo: undoOf(save) }) } : null
}

function withoutNotice({ pathname, search, hash }: { pathname: string; search: string; hash: string }) {
  const query = new URLSearchParams(search)
  query.delete('done')
  query.delete('undo')
  return `${pathname}${query.size > 0 ? `?${query}` : ''}${hash}`
}
