// Loaded before everything else, see npm start. The C library of Linux gives each thread a heap of its own, and keeps there
// what the thread has freed: 50 MB of a busy site. It listens to this variable only while a process begins.
if (process.platform === 'linux' && !process.env.MALLOC_ARENA_MAX) {
  const { execPath, execArgv, argv } = process
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...process.env, MALLOC_ARENA_MAX: '2' })
}
