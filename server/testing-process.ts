import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { blankSettings } from './settings.ts'

/** Runs a script of the site in a child process with only these settings. Returns the exit code and the output. */
export async function runScript(script: string, args: string[], settings: Record<string, string>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, ...blankSettings, ...settings }
  const child = spawn(process.execPath, [`scripts/${script}.ts`, ...args], { env })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)))
  const [code] = await once(child, 'close')
  return { code, output: output.join('') }
}
