import { ExternalLink } from 'lucide'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Block, blockTags, parseLink, type Run, type Text } from './text.ts'
import styles from './text-view.module.css'

export function TextView({ text }: { text: Text }) {
  return (
    <div className={styles.text}>
      {text.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'picture') {
    return (
      <figure>
        <ResponsiveImage url={block.url} alt={block.alt} sizes="(min-width: 760px) 720px, 100vw" />
      </figure>
    )
  }
  const Tag = blockTags[block.kind]
  if ('runs' in block) return <Tag>{renderRuns(block.runs)}</Tag>
  const items = block.items.map((item, index) => <li key={index}>{renderRuns(item)}</li>)
  return <Tag>{items}</Tag>
}

function renderRuns(runs: Run[]) {
  return runs.map(({ text, bold, href }, index) => {
    const link = href === undefined ? null : parseLink(href)
    // Browser translation replaces text nodes, so each text is the only child of its element.
    const hasSiblings = link ? link.elsewhere : runs.length > 1
    const marked = words(text)
    const content = bold ? <strong>{marked}</strong> : hasSiblings ? <span>{marked}</span> : marked
    return <RunLink key={index} href={link?.href} isExternal={link?.elsewhere === true} content={content} />
  })
}

type RunLinkProps = { href: string | undefined; isExternal: boolean; content: ReactNode }

function RunLink({ href, isExternal, content }: RunLinkProps) {
  if (href === undefined) return content
  if (!isExternal) {
    return (
      <Link to={href} data-warm viewTransition>
        {content}
      </Link>
    )
  }
  if (/^(?:tel|mailto):/.test(href)) return <a href={href}>{content}</a>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {content}
      {/* The word joiner prevents a line break before the icon. */}
      {'\u2060'}
      <Icon of={ExternalLink} size={14} label={t('新しいタブで開きます')} />
    </a>
  )
}
