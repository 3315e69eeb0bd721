import { parseUrl } from '../ui/safe-link.ts'

const VIDEO_ID = /^[\w-]{11}$/
const hosts = ['youtube.com', 'www.youtube.com', 'm.youtube.com', 'youtube-nocookie.com', 'www.youtube-nocookie.com']

/** Returns the video ID in a YouTube URL (watch, youtu.be, shorts, embed or live). Returns null for any other URL. */
export function videoIdOf(url: string): string | null {
  const parsed = parseUrl(url.trim())
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) return null
  const id = findId(parsed)
  return id && VIDEO_ID.test(id) ? id : null
}

function findId({ hostname, pathname, searchParams }: URL) {
  if (hostname === 'youtu.be') return pathname.slice(1)
  if (!hosts.includes(hostname)) return null
  return pathname === '/watch' ? searchParams.get('v') : /^\/(?:embed|shorts|live|v)\/([^/]+)/.exec(pathname)?.[1]
}
