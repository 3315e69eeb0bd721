import { type ComponentType, type ReactNode, Suspense, use, useEffect, useState } from 'react'
import { untilItComes } from './until-it-comes.ts'

/**
 * A part of a page that only some visitors see: its script is asked for when it is first shown. As long as that does not
 * come it is asked for again, and the rest of the page stays as it is; `meanwhile` stands where nothing stood before.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>, meanwhile?: ReactNode) {
  let Part: ComponentType<Props> | undefined
  let asked: Promise<void> | undefined
  const come = () => {
    asked ??= untilItComes(load).then((part) => {
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
    // While the server's markup still waits for its script, React may forget what else it was about to draw, the next
    // page even, unless something changes once that script is here.
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
