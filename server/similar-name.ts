/** Whether two names differ only by case, separators or one typing error per five letters of the second name. */
export function isSimilar(name: string, knownName: string) {
  const [typed, wanted] = [name, knownName].map((text) => text.toUpperCase().replace(/[^A-Z\d]/g, ''))
  return isWithinEdits(typed ?? '', wanted ?? '', Math.max(1, Math.floor(knownName.length / 5)))
}

// Compares the number of typing errors (letters added, omitted, replaced or swapped) with a small maximum.
function isWithinEdits(a: string, b: string, max: number): boolean {
  if (a === b) return true
  if (a[0] === b[0]) return isWithinEdits(a.slice(1), b.slice(1), max)
  const edits = [
    [a.slice(1), b],
    [a, b.slice(1)],
    [a.slice(1), b.slice(1)],
    a[0] === b[1] && a[1] === b[0] ? [a.slice(2), b.slice(2)] : [a, b],
  ] as const
  return max > 0 && edits.some(([restOfA, restOfB]) => isWithinEdits(restOfA, restOfB, max - 1))
}
