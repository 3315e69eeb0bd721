import { pictureSources } from '../media/image.ts'

/** What a picture of the way is called as long as nobody says what it shows. */
export const WAY_PICTURE = 'お店までの地図'

/** Whether this is the address of a picture that somebody has sent here, and that a page may show. */
export function isWayPicture(url: string) {
  return url.startsWith('/pictures/') && pictureSources(url) !== null
}
