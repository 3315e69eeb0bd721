import { pictureSources } from '../media/image.ts'

export const WAY_PICTURE = 'お店までの地図'

export function isWayPicture(url: string) {
  return url.startsWith('/pictures/') && pictureSources(url) !== null
}
