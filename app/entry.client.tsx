import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { keepAskingForData } from './frame/keep-asking.ts'
import { keepPageWithoutScript } from './frame/keep-page.ts'

keepAskingForData()
keepPageWithoutScript()

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  )
})
