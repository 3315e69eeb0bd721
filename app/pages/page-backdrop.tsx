import styles from '../media/film.module.css'
import { Film } from '../media/film.tsx'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import type { Page } from './page.ts'

type Props = {
  page: Page
  /** Name of the film in the label of the pause button. */
  what: string
  className: string | undefined
  pauseClassName?: string | undefined
  eager?: boolean
}

export function PageBackdrop({ page: { film, image, imageAlt }, ...shown }: Props) {
  if (film) return <Film name={film} alt={imageAlt} {...shown} />
  if (!image) return null
  return (
    <div className={`${styles.film} ${shown.className}`}>
      <ResponsiveImage url={image} alt={imageAlt} sizes="100vw" eager={shown.eager ?? false} />
    </div>
  )
}
