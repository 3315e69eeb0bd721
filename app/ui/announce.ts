const MAX_SENTENCES = 4

/** Announces a sentence politely. Uses the live region of an open modal dialog, because the page behind it is inert. */
export function announce(sentence: string) {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-announcements]')]
  const region = regions.findLast((element) => element.closest('dialog:modal')) ?? regions[0]
  if (!region || sentence.trim() === '') return
  const paragraph = document.createElement('p')
  paragraph.textContent = sentence.trim()
  region.append(paragraph)
  if (region.childElementCount > MAX_SENTENCES) region.firstElementChild?.remove()
}
