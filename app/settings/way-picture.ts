import { imageSources } from '../media/image.ts'

export const WAY_PICTURE = 'お店までの地図'

export function isWayPicture(url: string) {
  return url.startsWith('/pictures/') && imageSources(url) !== null
}
