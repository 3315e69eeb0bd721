import type { Page } from '@playwright/test'

/** `bytes` is the size of the body as transferred. */
export type Transfer = { url: string; type: string; mime: string; status: number; bytes: number }

const IDLE_MS = 500
const LOAD_TIMEOUT_MS = 20_000

export async function visitPage(page: Page, url: string) {
  const network = await recordTransfers(page)
  await page.goto(url)
  await page.evaluate(scrollThrough)
  await network.waitUntilIdle()
  await network.stop()
  await page.evaluate(waitForImagesAndFonts)
  return network.transfers
}

export function missingFiles(transfers: Transfer[]) {
  const missing = new Set(transfers.filter(({ status }) => status >= 400).map(({ url }) => new URL(url).pathname))
  if (missing.size === 0) return []
  const [first, ...others] = missing
  return [`not found: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`]
}

async function recordTransfers(page: Page) {
  const client = await page.context().newCDPSession(page)
  const loading = new Map<string, Transfer>()
  const transfers: Transfer[] = []
  let lastChange = performance.now()

  client.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    // An event stream stays open as long as the page does.
    if (type === 'EventSource') return
    loading.set(requestId, { url: request.url, type, mime: '', status: 0, bytes: 0 })
    lastChange = performance.now()
  })
  client.on('Network.responseReceived', ({ requestId, response }) => {
    const transfer = loading.get(requestId)
    if (!transfer) return
    // Subtracts the header bytes, because HTTP/2 compresses headers to almost nothing.
    const headers = response.encodedDataLength
    Object.assign(transfer, { mime: response.mimeType, status: response.status, bytes: -headers })
  })
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => finish(requestId, encodedDataLength))
  client.on('Network.loadingFailed', ({ requestId }) => finish(requestId, 0))

  function finish(requestId: string, bytes: number) {
    const transfer = loading.get(requestId)
    if (!transfer) return
    loading.delete(requestId)
    transfers.push({ ...transfer, bytes: Math.max(transfer.bytes + bytes, 0) })
    lastChange = performance.now()
  }

  async function waitUntilIdle() {
    const startedAt = performance.now()
    while (loading.size > 0 || performance.now() - lastChange < IDLE_MS) {
      if (performance.now() - startedAt > LOAD_TIMEOUT_MS) {
        throw new Error(`Still loading: ${[...loading.values()].map(({ url }) => url).join(', ')}`)
      }
      await page.waitForTimeout(50)
    }
  }

  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  return { transfers, waitUntilIdle, stop: () => client.detach() }
}

async function scrollThrough() {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight / 2) {
    scrollTo({ top: y, behavior: 'instant' })
    await frame()
    await frame()
  }
  scrollTo({ top: 0, behavior: 'instant' })
  await frame()
}

async function waitForImagesAndFonts() {
  const loaded = [...document.images].filter((image) => image.complete)
  await Promise.all(loaded.map((image) => image.decode().catch(() => {})))
  await document.fonts.ready
}
