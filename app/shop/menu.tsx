import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'
import type { Card } from '../cards/card.ts'
import { type CardArticle, Prices } from '../cards/card-article.tsx'
import { formatList } from '../cards/marks.ts'
import { pricesOf } from '../cards/price.ts'
import type { CardGroup } from '../cards/sections-of-cards.ts'
import type { Slots } from '../hours/business-day.ts'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import type { Section } from '../sections/section.ts'
import styles from './menu.module.css'
import { isRunning, servedSlot } from './menu.ts'
import { MenuFilter, useFilter } from './menu-filter.tsx'

type Props = {
  groups: CardGroup[]
  slots: Slots | null
  now: number
  mayEdit: boolean
  renderCards: (dishes: Card[], heading: 'h2' | 'h3') => ReactNode
  renderLine: (dish: Card, heading: 'h2' | 'h3') => ReactNode
  /** Tools of a section for editors. */
  renderTools: (section: Section) => ReactNode
}

/** The menu of a shop that has sections: dishes with a picture as cards, and other dishes as lines. */
export function Menu({ groups, slots, now, mayEdit, renderCards, renderLine, renderTools }: Props) {
  const filter = useFilter(groups.flatMap(({ cards }) => cards))
  const shown = groups
    .map(({ section, cards }) => ({ section, isEmpty: cards.length === 0, cards: cards.filter(filter.isShown) }))
    .filter(({ cards, isEmpty }) => cards.length > 0 || (mayEdit && isEmpty))
  const sections = shown.flatMap(({ section }) => section ?? [])
  useServedSection(mayEdit ? [] : sections, slots, now)
  return (
    <>
      <MenuFilter {...filter} />
      {sections.length > 1 && <SectionIndex sections={sections} />}
      {shown.map(({ section, cards, isEmpty }) => {
        const heading = section ? 'h3' : 'h2'
        const pictured = cards.filter(({ image }) => image)
        const lines = cards.filter(({ image }) => !image)
        return (
          <section
            key={section?.id ?? ''}
            id={section ? `section-${section.id}` : undefined}
            className={styles.section}
          >
            {section && (
              <header className={styles.head}>
                <h2>{words(section.name)}</h2>
                <Served section={section} slots={slots} now={now} />
                {renderTools(section)}
                {section.introduction && <p className={styles.introduction}>{words(section.introduction)}</p>}
              </header>
            )}
            {isEmpty && <p>まだ料理がありません。</p>}
            {pictured.length > 0 && renderCards(pictured, heading)}
            {lines.length > 0 && <ul className={styles.lines}>{lines.map((dish) => renderLine(dish, heading))}</ul>}
          </section>
        )
      })}
      <p className={styles.tax}>
        {t('価格はすべて税込みです。')}
        <Link to="/dining/print">{t('お品書きを印刷する')}</Link>
      </p>
    </>
  )
}

function Served({ section, slots, now }: { section: Section; slots: Slots | null; now: number }) {
  const slot = servedSlot(section, slots)
  if (!slot) return null
  return (
    <p className={isRunning(slot, now) ? `${styles.served} ${styles.running}` : styles.served}>
      {t(isRunning(slot, now) ? 'ただいまご提供しています（{start}〜{end}）' : '{start}〜{end}にご提供します', slot)}
    </p>
  )
}

// Opens the page at the section that is served now, unless the visitor came to a place or a choice, or has scrolled.
function useServedSection(sections: Section[], slots: Slots | null, now: number) {
  useEffect(() => {
    if (location.hash || location.search || scrollY > 0 || document.querySelector('dialog[open]')) return
    const index = sections.findIndex((section) => {
      const slot = servedSlot(section, slots)
      return slot && isRunning(slot, now)
    })
    if (index > 0) document.getElementById(`section-${sections[index]?.id}`)?.scrollIntoView({ behavior: 'instant' })
  }, [])
}

function SectionIndex({ sections }: { sections: Section[] }) {
  const current = useSectionInView(sections)
  return (
    <nav className={styles.index} aria-label={t('お品書きの分類')}>
      <ul>
        {sections.map(({ id, name }) => (
          <li key={id}>
            <a href={`#section-${id}`} aria-current={current === `section-${id}` ? 'true' : undefined}>
              {words(name)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Returns the ID of the element of the section that covers a line in the upper part of the window, or ''. */
function useSectionInView(sections: Section[]) {
  const [current, setCurrent] = useState('')
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          setCurrent((id) => (isIntersecting ? target.id : id === target.id ? '' : id))
      },
      { rootMargin: '-25% 0px -75% 0px' },
    )
    for (const element of document.querySelectorAll(`.${styles.section}[id]`)) observer.observe(element)
    return () => observer.disconnect()
  }, [sections.map(({ id }) => id).join()])
  useEffect(() => {
    // Scrolls only the index. `scrollIntoView` would also scroll the page.
    const link = document.querySelector<HTMLElement>(`.${styles.index} [aria-current]`)
    link?.closest('ul')?.scrollTo({ left: link.offsetLeft - 24, behavior: 'smooth' })
  }, [current])
  return current
}

type LineProps = Omit<ComponentProps<typeof CardArticle>, 'item' | 'sizes'> & { dish: Card; heading: 'h2' | 'h3' }

/** A dish without a picture, as a line with a leader to its prices. */
export function DishLine({ dish, heading: Heading, soldOut, hidden, allergens, pencil, children }: LineProps) {
  return (
    <li id={`card-${dish.id}`} className={styles.line}>
      <div className={styles.name}>
        <Heading>{words(dish.title)}</Heading>
        <span className={styles.leader} />
        <Prices prices={pricesOf(dish.price)} tax={false} />
      </div>
      {(soldOut || hidden) && (
        <p className={styles.mark}>{[soldOut && t('本日売り切れ'), hidden].filter(Boolean).join('・')}</p>
      )}
      {dish.content && <p className={styles.content}>{words(dish.content)}</p>}
      {dish.marks && <p className={styles.marks}>{formatList(dish.marks)}</p>}
      <p className={styles.allergens}>{allergens}</p>
      {pencil && (
        <div className={styles.tools}>
          {pencil}
          {children}
        </div>
      )}
    </li>
  )
}
