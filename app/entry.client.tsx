import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { keepAskingForData } from './frame/keep-asking.ts'
import { keepPageWithoutScript } from './frame/keep-page.ts'
import { rememberInput } from './frame/remember-input.ts'

keepAskingForData()
keepPageWithoutScript()

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
