import { useEffect } from 'react'

/** Has the headings kept in one font from the first change of the page on: what does that is not needed before. */
export function useHeadingFont() {
  useEffect(() => {
    let stop = () => {}
    let gone = false
    const watcher = new MutationObserver(async () => {
      watcher.disconnect()
      const { keepHeadingFont } = await import('./heading-font.ts').catch(() => ({ keepHeadingFont: null }))
      if (gone) return
      if (keepHeadingFont) stop = keepHeadingFont()
      else watch()
    })
    const watch = () => watcher.observe(document.body, { childList: true, characterData: true, subtree: true })
    watch()
    return () => {
      gone = true
      watcher.disconnect()
      stop()
    }
  }, [])
}
