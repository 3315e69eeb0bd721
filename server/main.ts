import { prepareProcess } from './prepare-process.ts'

prepareProcess()
// React reads NODE_ENV only once, at its first import.
process.env.NODE_ENV = 'production'
// A variable, because the types of the sources must not depend on the build.
const bundle = '../build/server/start.js'
const { start }: typeof import('./start.ts') = await import(bundle)
await start()
