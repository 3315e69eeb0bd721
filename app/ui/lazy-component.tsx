import { type ComponentType, type ReactNode, Suspense, use, useEffect, useState } from 'react'
import { retryLoad } from './retry-load.ts'

/** Returns a lazy component that retries until its script has loaded. `meanwhile` is the Suspense fallback. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>, meanwhile?: ReactNode) {
  let Part: ComponentType<Props> | undefined
  let asked: Promise<void> | undefined
  const come = () => {
    asked ??= retryLoad(load).then((part) => {
      Part = part
    })
    return asked
  }

  function Loaded(props: Props) {
    if (!Part) use(come())
    return Part && <Part {...props} />
  }

  return function Lazily(props: Props) {
    const [, lookAgain] = useState(false)
    // While hydration waits for the script, React may drop a pending render, unless state changes after the load.
    useEffect(() => {
      if (!Part) come().then(() => lookAgain(true))
    }, [])
    return (
      <Suspense fallback={meanwhile}>
        <Loaded {...props} />
      </Suspense>
    )
  }
}
