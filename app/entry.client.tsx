import { StrictMode, startTransition, useLayoutEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { loadLanguage } from './languages/load-language.ts'
import { rememberInput } from './platform/remember-input.ts'
import { addDefaultRevalidation, preloadLinks, retryRouteData } from './platform/router-workarounds.ts'

addDefaultRevalidation()
retryRouteData()
preloadLinks()

const applyEarlyInput = rememberInput()

function Router() {
  useLayoutEffect(applyEarlyInput, [])
  return <HydratedRouter />
}

await loadLanguage()
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <Router />
    </StrictMode>,
  )
})
