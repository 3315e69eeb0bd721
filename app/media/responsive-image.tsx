import type { ReactNode } from 'react'
import { langOf } from '../languages/language.ts'
import { imageSources } from './image.ts'

type Props = {
  url: string
  alt: string
  sizes: string
  /** Set only for the first image that is visible on the page. */
  eager?: boolean
  children?: ReactNode
}

/** Image of this site in several widths and formats. Renders nothing for URLs of other sites. */
export function ResponsiveImage({ url, alt, sizes, eager = false, children }: Props) {
  const loading = eager ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy', decoding: 'async' } as const)
  const sources = imageSources(url)
  if (!sources) return null
  return (
    <picture>
      {children}
      <source type="image/avif" srcSet={sources.avif} sizes={sizes} />
      <source type="image/webp" srcSet={sources.webp} sizes={sizes} />
      <img src={url} srcSet={sources.jpg} sizes={sizes} alt={alt} lang={langOf(alt)} {...loading} />
    </picture>
  )
}
