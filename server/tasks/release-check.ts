import type { Logger } from 'pino'
import { z } from 'zod'
import { causeOf, fetchText } from '../../app/platform/fetch-text.server.ts'
import { repeat } from '../../app/platform/repeat.server.ts'
import type { Release } from '../../app/request.ts'
import packageJson from '../../package.json' with { type: 'json' }

const CHECK_INTERVAL_MS = 24 * 60 * 60 * 1000
const TIMEOUT_MS = 5000

// The fields that GitHub, Gitea and Forgejo have in common at /repos/OWNER/NAME/releases/latest.
const LatestRelease = z.object({
  tag_name: z.string().regex(/^v?\d{1,6}(?:\.\d{1,6}){2}$/),
  html_url: z.url({ protocol: /^https$/ }).max(500),
})

/**
 * Remembers the release at `url` if it is newer than this program. `start` begins the daily check and returns a function
 * that stops it.
 */
export function createReleaseCheck(url: string | null, log: Logger) {
  let newer: Release | null = null
  let hasFailed = false

  async function check(url: string) {
    // A redirect could lead to any server, also to one of the internal network.
    const text = await fetchText(url, { timeoutMs: TIMEOUT_MS, redirect: 'error' })
    const release = LatestRelease.safeParse(JSON.parse(text))
    if (!release.success) throw new Error(`Invalid release at ${url}: expected tag_name and html_url of a version`)
    const version = release.data.tag_name.replace('v', '')
    const isNewer = version.localeCompare(packageJson.version, 'en', { numeric: true }) > 0
    newer = isNewer ? { version, notes: release.data.html_url } : null
    hasFailed = false
  }

  return {
    newer: () => newer,
    start() {
      if (!url) return async () => {}
      return repeat(() => check(url), {
        every: CHECK_INTERVAL_MS,
        failed: (error) => {
          if (!hasFailed) log.warn({ cause: causeOf(error) }, 'release check failed')
          hasFailed = true
        },
      })
    },
  }
}
