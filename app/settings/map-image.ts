import { imageSources } from '../media/image.ts'

export const MAP_IMAGE = 'お店までの地図'

export function isMapImage(url: string) {
  return url.startsWith('/pictures/') && imageSources(url) !== null
}
