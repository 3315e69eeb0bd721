import { pictureSources } from './image.ts'

type Props = {
  url: string
  /** The picture in its place on a screen that is higher than wide, which it fills; '' for none. */
  portrait?: string
  alt: string
  /** The width it is shown at, as the `sizes` attribute takes it. */
  sizes: string
  /** For the one picture that a visitor sees first. */
  eager?: boolean
}

/** A picture of this site in the best format and size that the browser takes; it fills its box. Of no other address. */
export function Picture({ url, portrait = '', alt, sizes, eager = false }: Props) {
  const loading = eager ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy', decoding: 'async' } as const)
  const sources = pictureSources(url)
  const tall = pictureSources(portrait)
  if (!sources) return null
  return (
    <picture>
      {tall &&
        (['avif', 'webp', 'jpg'] as const).map((format) => (
          <source
            key={format}
            media="(orientation: portrait)"
            type={`image/${format === 'jpg' ? 'jpeg' : format}`}
            srcSet={tall[format]}
            sizes="max(100vw, 57svh)"
          />
        ))}
      <source type="image/avif" srcSet={sources.avif} sizes={sizes} />
      <source type="image/webp" srcSet={sources.webp} sizes={sizes} />
      <img src={url} srcSet={sources.jpg} sizes={sizes} alt={alt} {...loading} />
    </picture>
  )
}
