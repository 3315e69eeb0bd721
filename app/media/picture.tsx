import type { ReactNode } from 'react'
import { pictureSources } from './image.ts'

type Props = {
  url: string
  alt: string
  /** The width it is shown at, as the `sizes` attribute takes it. */
  sizes: string
  /** For the one picture that a visitor sees first. */
  eager?: boolean
  /** Sources that go before its own. */
  children?: ReactNode
}

/** A picture of this site in the best format and size that the browser takes; it fills its box. Of no other address. */
export function Picture({ url, alt, sizes, eager = false, children }: Props) {
  const loading = eager ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy', decoding: 'async' } as const)
  const sources = pictureSources(url)
  if (!sources) return null
  return (
    <picture>
      {children}
      <source type="image/avif" srcSet={sources.avif} sizes={sizes} />
      <source type="image/webp" srcSet={sources.webp} sizes={sizes} />
      <img src={url} srcSet={sources.jpg} sizes={sizes} alt={alt} {...loading} />
    </picture>
  )
}
