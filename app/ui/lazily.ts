import { type ComponentType, lazy } from 'react'

const AGAIN_AFTER = 3000

/**
 * A part of a page that only some visitors see: its script is asked for when it is first shown. As long as that does not
 * come it is asked for again, and the rest of the page stays as it is.
 */
export function lazily<Props>(load: () => Promise<ComponentType<Props>>) {
  const loaded = (): Promise<{ default: ComponentType<Props> }> =>
    load().then(
      (part) => ({ default: part }),
      () => new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER)).then(loaded),
    )
  return lazy(loaded)
}
