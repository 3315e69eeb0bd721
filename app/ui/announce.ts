const REMEMBERED = 4

/**
 * Has screen readers say the sentence, once, when they have finished what they say: in the status region of the page,
 * or of the dialog that lies on it, outside of which nothing is heard.
 */
export function announce(sentence: string) {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-announcements]')]
  const region = regions.findLast((each) => each.closest('dialog:modal')) ?? regions[0]
  if (!region || sentence.trim() === '') return
  const said = document.createElement('p')
  said.textContent = sentence.trim()
  region.append(said)
  if (region.childElementCount > REMEMBERED) region.firstElementChild?.remove()
}
