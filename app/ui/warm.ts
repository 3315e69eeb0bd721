const INTENT_DELAY_MS = 100

/** Loads the page behind a link marked `data-warm` once a pointer or the focus has stayed on the link for a moment. */
export function warmLinks() {
  let timer: ReturnType<typeof setTimeout>
  const schedule = ({ target }: Event) => {
    clearTimeout(timer)
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[data-warm]')
    if (link) timer = setTimeout(warm, INTENT_DELAY_MS, link.href)
  }
  addEventListener('pointerover', schedule)
  addEventListener('focusin', schedule)
}

/**
 * Brings a page's data and its script into the browser's caches. The router's own prefetch uses links, which Firefox
 * refuses under our policy and Safari does not know.
 */
export function warm(url: string) {
  const { pathname, search } = new URL(url, location.href)
  if (pathname + search === location.pathname + location.search) return
  const ignore = () => {}
  for (const { route } of window.__reactRouterDataRouter?.match(pathname) ?? []) {
    const script = window.__reactRouterManifest?.routes[route.id]?.module
    if (script) import(/* @vite-ignore */ script).catch(ignore)
  }
  fetch(`${pathname.replace(/\/$/, '/_')}.data${search}`)
    .then((response) => response.text())
    .catch(ignore)
}
