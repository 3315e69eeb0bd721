/** A text as it is compared with others: letters of any width and case are the same. */
export function comparable(text: string) {
  return text.normalize('NFKC').toLowerCase()
}
