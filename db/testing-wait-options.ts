/** Options of `vi.waitFor` and `vi.waitUntil`. Only a test that hangs reaches the timeout, even on a busy machine. */
export const WAIT_OPTIONS = { timeout: 60_000 * Number(process.env.TEST_TIME_FACTOR ?? 1) }
