const AGAIN_AFTER_MS = 3000

/** What `load` gives, which is asked again every three seconds as long as it fails: a script on a bad connection. */
export async function untilItComes<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (;;) {
    try {
      return await load()
    } catch {
      await new Promise((later) => setTimeout(later, AGAIN_AFTER_MS))
    }
  }
}
