import { readFileSync } from 'node:fs'

/**
 * Returns the text of a file that an editor saved as UTF-8, UTF-16 or Shift_JIS, without its byte order mark. Throws an
 * error in Japanese if the encoding is another one.
 */
export function readTextFile(path: string) {
  const bytes = readFileSync(path)
  for (const encoding of encodingsOf(bytes)) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {}
  }
  throw new Error(`${path} の文字コードを読み取れません。UTF-8 で保存し直してください。`)
}

// In UTF-16, one byte of an ASCII character is zero. Shift_JIS is the "ANSI" of Windows in Japan.
function encodingsOf([first, second]: Buffer) {
  if ((first === 0xff && second === 0xfe) || second === 0) return ['utf-16le']
  if ((first === 0xfe && second === 0xff) || first === 0) return ['utf-16be']
  return ['utf-8', 'shift_jis']
}
