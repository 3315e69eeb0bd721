/**
 * Images rendered from the logo. Their names contain the side length in pixels. The operating system crops `maskable`
 * icons.
 */
export const logoImages = [
  'icon-32.png',
  'icon-180.png',
  'icon-192.png',
  'icon-512.png',
  'maskable-192.png',
  'maskable-512.png',
  'share.jpg',
] as const
export type LogoImage = (typeof logoImages)[number]

/** Returns the URL of a logo image. `digest` is the result of `digestOf` in logo.server.ts. */
export function logoImageUrl(digest: string, image: LogoImage) {
  return `/seal/${digest}/${image}`
}

/** Size of the link preview image, in pixels. */
export const LINK_PREVIEW_SIZE = { width: 1200, height: 630 }
