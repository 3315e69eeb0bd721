import { encode } from 'uqr'

/** A text as a QR code (ISO/IEC 18004): the side in modules, quiet zone included, and the dark ones as the path of an SVG. */
export function qrCode(text: string) {
  const { size, data } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('')
  return { size, path }
}
