import { useEffect } from 'react'
import { matchRoutes } from 'react-router'

declare global {
  interface Window {
    __reactRouterManifest?: { routes: Record<string, { id: string; parentId?: string; path?: string; module: string }> }
  }
}

/**
 * Loads the script of the page whose action a form on another page is sent to. The router waits for it before it gives
 * the action's answer, and would wait for ever where there is no connection by then.
 */
export function useActionAtHand(address: string | undefined) {
  useEffect(() => {
    if (address === undefined) return
    const { routes = {} } = window.__reactRouterManifest ?? {}
    const pages = Object.values(routes).filter(({ parentId }) => parentId === 'root')
    const [match] = matchRoutes(pages, new URL(address, location.href).pathname) ?? []
    // Where it does not come now, it is asked for again when the form is sent.
    if (match) import(/* @vite-ignore */ match.route.module).catch(() => {})
  }, [address])
}
