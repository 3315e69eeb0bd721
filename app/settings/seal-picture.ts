/** The pictures that are made from the shop's seal: the side in pixels, and what cuts it, is in the name. */
export const sealPictures = [
  'icon-32.png',
  'icon-180.png',
  'icon-192.png',
  'icon-512.png',
  'maskable-192.png',
  'maskable-512.png',
  'share.jpg',
] as const
export type SealPicture = (typeof sealPictures)[number]

/** Where a picture of the seal is; `digest` names what it is made of (seal.server.ts). */
export function sealPicture(digest: string, picture: SealPicture) {
  return `/seal/${digest}/${picture}`
}

/** Of the picture that goes with a link, in pixels. */
export const share = { width: 1200, height: 630 }
