const INTENT_DELAY_MS = 100

/** Preloads the target of a link with `data-warm` when a pointer or the focus rests on the link. */
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

/** Preloads a page. React Router's prefetch links fail in Firefox, because of our CSP, and in Safari. */
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
