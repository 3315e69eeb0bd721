// Spaces of every width, controls, what only steers or joins characters, and fillers and notes that draw nothing.
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u

/** Whether a text shows nothing to anyone. */
export function isBlank(text: string) {
  return BLANK.test(text)
}

/** What was typed, without the spaces around it; '' where nothing of it shows. */
export function trimmed(text: string) {
  return isBlank(text) ? '' : text.trim()
}
