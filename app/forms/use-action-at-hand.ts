import { useEffect } from 'react'
import { matchRoutes } from 'react-router'

declare global {
  interface Window {
    __reactRouterManifest?: { routes: Record<string, { id: string; parentId?: string; path?: string; module: string }> }
  }
}

const atHand = new Set<string>()

/**
 * Loads the script of the page whose action a form on another page is sent to. The router waits for it before it sends the
 * form, and would load this page anew where it does not come.
 */
export function useActionAtHand(address: string | undefined) {
  useEffect(() => {
    if (address !== undefined) bring(scriptMissingFor(address))
  }, [address])
}

/** The script without which no form can be sent to this address from here; undefined where there is none. */
export function scriptMissingFor(address: string) {
  const { pathname } = new URL(address, location.href)
  if (pathname === location.pathname) return
  const { routes = {} } = window.__reactRouterManifest ?? {}
  const pages = Object.values(routes).filter(({ parentId }) => parentId === 'root')
  const [match] = matchRoutes(pages, pathname) ?? []
  return match && !atHand.has(match.route.module) ? match.route.module : undefined
}

/** Whether this script could be loaded. */
export async function bring(script: string | undefined) {
  if (script === undefined) return true
  return import(/* @vite-ignore */ script).then(
    () => Boolean(atHand.add(script)),
    () => false,
  )
}
