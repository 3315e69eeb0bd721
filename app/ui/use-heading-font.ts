import { useEffect } from 'react'
import { headingCharacters, headingFontUrl, rangeOf } from './heading-characters.ts'

// Text in an editor uses the system font, because each keystroke would request another subset.
const HEADING_SELECTOR = ':is(h1, h2, h3, [data-mincho]):not([contenteditable] *)'

export function useHeadingFont() {
  useEffect(() => {
    const loaded = new Set(charactersIn(findHeadings()))
    const requested = new Set<string>()
    const failed = new Set<string>()
    let url = location.href

    const update = () => {
      if (location.href !== url) failed.clear()
      url = location.href
      const headings = findHeadings()
      const missing = charactersIn(headings).filter((character) => !loaded.has(character))
      for (const heading of headings) {
        const isMissing = missing.some((character) => heading.textContent.includes(character))
        heading.toggleAttribute('data-font-waits', isMissing)
      }
      const newCharacters = missing.filter((each) => !requested.has(each) && !failed.has(each))
      if (newCharacters.length > 0) request(newCharacters)
    }

    const request = async (characters: string[]) => {
      for (const character of characters) requested.add(character)
      const outcome = (await fetchFont(characters)) ? loaded : failed
      for (const character of characters) {
        requested.delete(character)
        outcome.add(character)
      }
      update()
    }

    const observer = new MutationObserver(update)
    observer.observe(document.body, { childList: true, characterData: true, subtree: true })
    return () => observer.disconnect()
  }, [])
}

async function fetchFont(characters: string[]) {
  const font = new FontFace('Shippori Mincho', `url("${headingFontUrl(characters)}")`, {
    weight: '600',
    unicodeRange: rangeOf(characters),
  })
  document.fonts.add(font)
  try {
    await font.load()
    return true
  } catch {
    document.fonts.delete(font)
    return false
  }
}

function findHeadings() {
  return [...document.querySelectorAll<HTMLElement>(HEADING_SELECTOR)]
}

function charactersIn(elements: HTMLElement[]) {
  return headingCharacters(elements.map((element) => element.textContent).join(''))
}
