/** A choice each, sent as it is read. */
export function optionsOf(words: readonly string[]) {
  return words.map((each) => <option key={each}>{each}</option>)
}
