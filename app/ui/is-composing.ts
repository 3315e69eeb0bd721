/**
 * Whether a key belongs to kana that are being composed. Safari fires compositionend before the keydown of the Enter or
 * Escape that ends the composition: only the keyCode marks that one.
 */
export function isComposing(event: KeyboardEvent) {
  return event.isComposing || event.keyCode === 229
}
