const REMEMBERED = 4

/** Announces a sentence politely. Uses the open modal dialog's live region: the page behind a modal dialog is inert. */
export function announce(sentence: string) {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-announcements]')]
  const region = regions.findLast((each) => each.closest('dialog:modal')) ?? regions[0]
  if (!region || sentence.trim() === '') return
  const said = document.createElement('p')
  said.textContent = sentence.trim()
  region.append(said)
  if (region.childElementCount > REMEMBERED) region.firstElementChild?.remove()
}
