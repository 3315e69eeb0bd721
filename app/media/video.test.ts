import { describe, expect, test } from 'vitest'
import { videoIdOf } from './video.ts'

describe('videoIdOf', () => {
  test.each([
    'https://www.youtube.com/watch?v=aqz-KE-bpKQ',
    'https://youtube.com/watch?list=x&v=aqz-KE-bpKQ&t=3s',
    'http://m.youtube.com/watch?v=aqz-KE-bpKQ',
    'https://youtu.be/aqz-KE-bpKQ?si=x',
    'https://www.youtube.com/shorts/aqz-KE-bpKQ',
    'https://www.youtube.com/live/aqz-KE-bpKQ?feature=share',
    'https://www.youtube.com/embed/aqz-KE-bpKQ',
    'https://www.youtube-nocookie.com/embed/aqz-KE-bpKQ',
  ])('returns the video ID in %s', (url) => {
    expect(videoIdOf(url)).toBe('aqz-KE-bpKQ')
  })

  test.each([
    '',
    'aqz-KE-bpKQ',
    'https://example.jp/watch?v=aqz-KE-bpKQ',
    'https://youtube.com.example.jp/watch?v=aqz-KE-bpKQ',
    'https://www.youtube.com/watch?v=aqz-KE-bpKQ%22%3E',
    'https://www.youtube.com/watch?v=short',
    'https://youtu.be/../aqz-KE-bpKQ/x',
    'javascript:https://youtu.be/aqz-KE-bpKQ',
  ])('returns null for %j', (url) => {
    expect(videoIdOf(url)).toBeNull()
  })
})
