import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { keepAskingForData } from './platform/keep-asking.ts'
import { rememberInput } from './platform/remember-input.ts'
import { warmLinks } from './ui/warm.ts'

keepAskingForData()
warmLinks()

const restoreInput = rememberInput()

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
    {
      onRecoverableError(error) {
        reportError(error)
        restoreInput()
      },
    },
  )
})
