// Loaded before everything else by `npm start`.
import { enableCompileCache, flushCompileCache } from 'node:module'

// glibc retains freed memory in one heap per thread (50 MB on a busy site) and reads this variable only at start.
if (process.platform === 'linux' && !process.env.MALLOC_ARENA_MAX) {
  const { execPath, execArgv, argv } = process
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...process.env, MALLOC_ARENA_MAX: '2' })
}

// The next start reads compiled code: a sixth faster, 10 MB less. Node itself writes only at exit, which a crash skips.
enableCompileCache('node_modules/.cache/node')
setTimeout(flushCompileCache, 10_000).unref()
