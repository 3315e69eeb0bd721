// Loaded before everything else, see npm start.
import { enableCompileCache, flushCompileCache } from 'node:module'

// The C library of Linux gives each thread a heap of its own, and keeps there what the thread has freed: 50 MB of a busy
// site. It listens to this variable only while a process begins.
if (process.platform === 'linux' && !process.env.MALLOC_ARENA_MAX) {
  const { execPath, execArgv, argv } = process
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...process.env, MALLOC_ARENA_MAX: '2' })
}

// The next start finds compiled what this one reads: it takes a sixth less time, and 10 MB less. Where nothing can be
// written, nothing is kept. By itself Node would write only at the end, which a crash does not reach.
enableCompileCache('node_modules/.cache/node')
setTimeout(flushCompileCache, 10_000).unref()
