/** Whether a key belongs to an IME composition. Safari's last keydown has code 229 and comes after compositionend. */
export function isComposing(event: KeyboardEvent) {
  return event.isComposing || event.keyCode === 229
}
