import { ArrowRight, ExternalLink } from 'lucide-react'
import { Link } from 'react-router'
import { Picture } from '../media/picture.tsx'
import { YouTube } from '../media/youtube.tsx'
import styles from './card.module.css'
import type { ContentItem } from './content-item.ts'
import { safeLink } from './safe-link.ts'

type Props = { item: ContentItem; sizes: string /** The first cards in view. */; eager?: boolean; pointed?: boolean }

/** One card: its picture or video, title, text and, where it leads somewhere, the link that the whole card is. */
export function Card({ item, sizes, eager = false, pointed = false }: Props) {
  return (
    <li>
      <article id={`card-${item.id}`} className={pointed ? `${styles.card} ${styles.pointed}` : styles.card}>
        <CardMedia item={item} sizes={sizes} eager={eager} />
        <div className={styles.text}>
          <h2>{item.title}</h2>
          <p className={styles.content}>{item.content}</p>
          <CardLink url={item.linkUrl} title={item.title} />
        </div>
      </article>
    </li>
  )
}

function CardMedia({ item, sizes, eager }: Required<Omit<Props, 'pointed'>>) {
  if (item.image) {
    return (
      <div className={styles.picture}>
        <Picture url={item.image} alt={item.imageAlt} sizes={sizes} eager={eager} />
      </div>
    )
  }
  return item.youtubeUrl ? <YouTube url={item.youtubeUrl} title={item.title} sizes={sizes} /> : null
}

function CardLink({ url, title }: { url: string; title: string }) {
  const link = safeLink(url)
  if (!link) return null
  const label = (
    <>
      具体例を確認する<span className="visually-hidden">（{title}）</span>
    </>
  )
  return link.elsewhere ? (
    <a className={styles.link} href={link.href} target="_blank" rel="noopener noreferrer">
      {label}
      <ExternalLink size={15} aria-label="別の画面で開きます" />
    </a>
  ) : (
    <Link className={styles.link} to={link.href} prefetch="intent" viewTransition>
      {label}
      <ArrowRight size={15} aria-hidden />
    </Link>
  )
}
