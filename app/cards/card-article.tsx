import { ArrowRight, ExternalLink } from 'lucide'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { imageSources } from '../media/image.ts'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { YouTube } from '../media/youtube.tsx'
import { Icon } from '../ui/icon.tsx'
import { safeLink } from '../ui/safe-link.ts'
import type { Card } from './card.ts'
import styles from './card-article.module.css'
import { formatList } from './marks.ts'
import { formatYen, type Price, pricesOf } from './price.ts'

type Props = {
  item: Card
  sizes: string
  /** Index of the card in the grid. The image of the first card loads eagerly. */
  place?: number
  pointed?: boolean
  soldOut?: boolean
  /** Why guests do not see the card. */
  hidden?: string
  heading?: 'h2' | 'h3'
  allergens?: string
  pencil?: ReactNode
  children?: ReactNode
}

export function CardArticle({ item, sizes, place, pointed, soldOut, hidden, heading: Heading = 'h2', ...rest }: Props) {
  const { allergens, pencil, children } = rest
  return (
    <li>
      <article id={`card-${item.id}`} className={pointed ? `${styles.card} ${styles.pointed}` : styles.card}>
        <CardMedia item={item} sizes={sizes} place={place} soldOut={soldOut} />
        <div className={styles.text}>
          {soldOut && (
            <p className={item.image ? styles.soldOut : styles.mark} data-mincho>
              {t('本日売り切れ')}
            </p>
          )}
          {(item.draft || hidden) && <p className={styles.mark}>{hidden || '下書き'}</p>}
          <Heading>{words(item.title)}</Heading>
          {item.content && <p className={styles.content}>{words(item.content)}</p>}
          {item.marks && <p className={styles.marks}>{formatList(item.marks)}</p>}
          {allergens && <p className={styles.allergens}>{allergens}</p>}
          <div className={styles.foot}>
            <Prices prices={pricesOf(item.price)} />
            <CardLink url={item.linkUrl} title={item.title} />
            {pencil}
          </div>
          {children}
        </div>
      </article>
    </li>
  )
}

/** Prices of a dish. `tax` says that they include tax. */
export function Prices({ prices, tax = true }: { prices: Price[]; tax?: boolean }) {
  if (prices.length === 0) return null
  return (
    <p className={styles.price}>
      {prices.map(({ label, yen }) => (
        <span key={label}>{words([t(label), yen !== null && formatYen(yen)].filter(Boolean).join(' '))}</span>
      ))}
      {tax && prices.some(({ yen }) => yen !== null) && <small>{t('（税込）')}</small>}
    </p>
  )
}

function CardMedia({ item, sizes, place, soldOut }: Pick<Props, 'item' | 'sizes' | 'place' | 'soldOut'>) {
  if (imageSources(item.image)) {
    return (
      <div className={soldOut ? `${styles.picture} ${styles.gone}` : styles.picture}>
        <ResponsiveImage url={item.image} alt={item.imageAlt} sizes={sizes} eager={place === 0} />
      </div>
    )
  }
  return item.youtubeUrl ? <YouTube url={item.youtubeUrl} title={item.title} sizes={sizes} place={place ?? 0} /> : null
}

function CardLink({ url, title }: { url: string; title: string }) {
  const link = safeLink(url)
  if (!link) return null
  const label = (
    <>
      {t('具体例を確認する')}
      <span className="visually-hidden">{words(t('（{title}）', { title }))}</span>
    </>
  )
  return link.elsewhere ? (
    <a className={styles.link} href={link.href} target="_blank" rel="noopener noreferrer">
      {label}
      <Icon of={ExternalLink} size={15} label={t('新しいタブで開きます')} />
    </a>
  ) : (
    <Link className={styles.link} to={link.href} data-warm viewTransition>
      {label}
      <Icon of={ArrowRight} size={15} />
    </Link>
  )
}
