const RETRY_DELAY_MS = 3000

/** Retries `load` every three seconds until it succeeds: for scripts on a bad connection. */
export async function retryLoad<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (;;) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
    }
  }
}
