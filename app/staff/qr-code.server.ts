import { encode } from 'uqr'

/** Path of the QR code that opens the menu in the reader's language. */
export const MENU_CODE_PATH = '/q/dining'

/**
 * Returns the dark modules as an SVG path, and the side length in modules, including the quiet zone (ISO/IEC 18004).
 */
export function qrCode(text: string) {
  const { size, data } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('')
  return { size, path }
}
