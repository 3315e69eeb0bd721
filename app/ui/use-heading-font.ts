import { useEffect } from 'react'
import { headingCharacters, headingFontUrl, rangeOf } from './heading-characters.ts'

// Text in an editor uses the system font, because each keystroke would request another subset.
const SPEAKING = ':is(h1, h2, h3, [data-mincho]):not([contenteditable] *)'

/** Loads missing characters of the heading font. Requests failed characters again after the next navigation. */
export function useHeadingFont() {
  useEffect(() => {
    const here = new Set(charactersIn(speakers()))
    const asked = new Set<string>()
    const refused = new Set<string>()
    let address = location.href

    const look = () => {
      if (location.href !== address) refused.clear()
      address = location.href
      const headings = speakers()
      const missing = charactersIn(headings).filter((character) => !here.has(character))
      for (const heading of headings) {
        const waits = missing.some((character) => heading.textContent.includes(character))
        heading.toggleAttribute('data-font-waits', waits)
      }
      const wanted = missing.filter((each) => !asked.has(each) && !refused.has(each))
      if (wanted.length > 0) ask(wanted)
    }

    const ask = async (characters: string[]) => {
      for (const character of characters) asked.add(character)
      const answer = (await fetchFont(characters)) ? here : refused
      for (const character of characters) {
        asked.delete(character)
        answer.add(character)
      }
      look()
    }

    const watcher = new MutationObserver(look)
    watcher.observe(document.body, { childList: true, characterData: true, subtree: true })
    return () => watcher.disconnect()
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

function speakers() {
  return [...document.querySelectorAll<HTMLElement>(SPEAKING)]
}

function charactersIn(elements: HTMLElement[]) {
  return headingCharacters(elements.map((element) => element.textContent).join(''))
}
