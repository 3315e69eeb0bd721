import { type ComponentType, type ReactNode, Suspense, use, useEffect, useState } from 'react'
import { retryLoad } from './retry-load.ts'

export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>, fallback?: ReactNode) {
  let Component: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  const loadOnce = () => {
    loading ??= retryLoad(load).then((component) => {
      Component = component
    })
    return loading
  }

  function Loaded(props: Props) {
    if (!Component) use(loadOnce())
    return Component && <Component {...props} />
  }

  return function LazyComponent(props: Props) {
    const [, rerender] = useState(false)
    // While hydration waits for the script, React may drop a pending render, unless state changes after the load.
    useEffect(() => {
      if (!Component) loadOnce().then(() => rerender(true))
    }, [])
    return (
      <Suspense fallback={fallback}>
        <Loaded {...props} />
      </Suspense>
    )
  }
}
