import { useEffect } from 'react'
import { headingCharacters, headingFontUrl, rangeOf } from './heading-characters.ts'

const SPEAKING = 'h1, h2, h3, [data-mincho]'

/**
 * Keeps every heading in one font while the page changes: characters that the document's font does not have are fetched,
 * and until they are here the headings that need them wait in the system's mincho as a whole.
 */
export function useHeadingFont() {
  useEffect(() => {
    const known = new Set(charactersIn(speakers()))
    const look = () => {
      const missing = charactersIn(speakers()).filter((character) => !known.has(character))
      if (missing.length > 0) fetchFont(missing, known)
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document.body, { childList: true, characterData: true, subtree: true })
    return () => watcher.disconnect()
  }, [])
}

async function fetchFont(characters: string[], known: Set<string>) {
  for (const character of characters) known.add(character)
  const waiting = speakers().filter((element) =>
    characters.some((character) => element.textContent.includes(character)),
  )
  for (const element of waiting) element.dataset.fontWaits = ''
  const font = new FontFace('Shippori Mincho', `url("${headingFontUrl(characters)}")`, {
    weight: '600',
    unicodeRange: rangeOf(characters),
  })
  document.fonts.add(font)
  try {
    await font.load()
    for (const element of waiting) delete element.dataset.fontWaits
  } catch {
    // Without the font those headings stay as they are: whole, in the system's mincho.
  }
}

function speakers() {
  return [...document.querySelectorAll<HTMLElement>(SPEAKING)]
}

function charactersIn(elements: HTMLElement[]) {
  return headingCharacters(elements.map((element) => element.textContent).join(''))
}
