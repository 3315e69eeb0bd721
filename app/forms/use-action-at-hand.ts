import { useEffect } from 'react'
import { matchRoutes } from 'react-router'

declare global {
  interface Window {
    __reactRouterManifest?: { routes: Record<string, { id: string; parentId?: string; path?: string; module: string }> }
  }
}

const atHand = new Set<string>()

/**
 * Preloads the module of another page's action. The router needs the module before it submits, and reloads this page if
 * the module fails to load.
 */
export function useActionAtHand(address: string | undefined) {
  useEffect(() => {
    if (address !== undefined) bring(scriptMissingFor(address))
  }, [address])
}

/** Returns the module that a submission to this URL still needs, or undefined. */
export function scriptMissingFor(address: string) {
  const { pathname } = new URL(address, location.href)
  if (pathname === location.pathname) return
  const { routes = {} } = window.__reactRouterManifest ?? {}
  const pages = Object.values(routes).filter(({ parentId }) => parentId === 'root')
  const [match] = matchRoutes(pages, pathname) ?? []
  return match && !atHand.has(match.route.module) ? match.route.module : undefined
}

export async function bring(script: string | undefined) {
  if (script === undefined) return true
  return import(/* @vite-ignore */ script).then(
    () => Boolean(atHand.add(script)),
    () => false,
  )
}
