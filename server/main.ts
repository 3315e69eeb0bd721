import { enterProjectFolder } from './project-folder.ts'

enterProjectFolder()
// React reads NODE_ENV only once, at its first import.
process.env.NODE_ENV = 'production'
// The path is a variable, so that the types of the sources do not depend on the build.
const bundle = '../build/server/start.js'
const { start }: typeof import('./start.ts') = await import(bundle)
await start()
