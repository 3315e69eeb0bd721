import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A function that runs a W3C WebDriver command. `name` is the name of the command in Firefox Marionette. The function
 * returns the value of the response and throws the error of the browser. WebKit receives a POST request to `path`,
 * without the parameters that are part of the path.
 */
export type Send = <Value = unknown>(name: string, path: string, parameters: object) => Promise<Value>
export type Engine = { send: Send; stop: () => Promise<void> }

export const engines: Record<string, () => Promise<Engine>> = { Firefox: openFirefox, WebKit: openWebKit }

// Debian has no geckodriver. The tests therefore use Marionette, the protocol between geckodriver and Firefox.
async function openFirefox(): Promise<Engine> {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'))
  const preferences = {
    'marionette.port': 0,
    'services.settings.server': 'data:,',
    'datareporting.policy.dataSubmissionEnabled': false,
    'intl.accept_languages': 'ja',
    'ui.prefersReducedMotion': 1,
  }
  const lines = Object.entries(preferences).map((entry) => `user_pref(${JSON.stringify(entry).slice(1, -1)});`)
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const firefox = startCommand('firefox-esr', ['--headless', '--no-remote', '--marionette', '--profile', profile], {
    HOME: profile,
  })
  const portFile = join(profile, 'MarionetteActivePort')
  await waitUntil(firefox, () => existsSync(portFile) && readFileSync(portFile, 'utf8') !== '')
  const socket = connect(Number(readFileSync(portFile, 'utf8')), '127.0.0.1')
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let received = Buffer.alloc(0)
  socket.on('data', (data) => {
    received = Buffer.concat([received, Buffer.from(data)])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)))
      if (colon < 0 || received.length < end) return
      const message = JSON.parse(String(received.subarray(colon + 1, end)))
      received = received.subarray(end)
      // The first message of Firefox describes the protocol and is no response.
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message
      if (error) pending.get(id)?.reject(new Error(`${error.error}: ${error.message}`))
      else pending.get(id)?.resolve(result && 'value' in result ? result.value : result)
      pending.delete(id)
    }
  })
  let id = 0
  const send: Send = async (name, _, parameters) => {
    id += 1
    const result = Promise.withResolvers<unknown>()
    pending.set(id, result)
    const message = JSON.stringify([0, id, `WebDriver:${name}`, parameters])
    socket.write(`${Buffer.byteLength(message)}:${message}`)
    return (await result.promise) as never
  }
  await send('NewSession', '', {})
  const stop = async () => {
    socket.destroy()
    await stopCommand(firefox)
    rmSync(profile, { recursive: true, force: true })
  }
  return { send, stop }
}

async function openWebKit(): Promise<Engine> {
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')
  if (!binary) throw new Error('MiniBrowser not found: apt-get install webkit2gtk-driver libwebkit2gtk-4.1-0')
  const settings = mkdtempSync(join(tmpdir(), 'webkit-'))
  mkdirSync(join(settings, 'gtk-3.0'))
  // This setting enables prefers-reduced-motion. During a view transition, a click would hit an image of the page.
  writeFileSync(join(settings, 'gtk-3.0', 'settings.ini'), '[Settings]\ngtk-enable-animations=0\n')
  const screen = startCommand('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x1000x24', '-nolisten', 'tcp'], {})
  const [display] = await once(screen.stdout as NodeJS.ReadableStream, 'data')
  const port = 20_000 + (process.pid % 20_000)
  const driver = startCommand('WebKitWebDriver', [`--port=${port}`], {
    DISPLAY: `:${String(display).trim()}`,
    LANG: 'C.UTF-8',
    LANGUAGE: 'ja',
    XDG_CONFIG_HOME: settings,
  })
  const base = `http://127.0.0.1:${port}`
  await waitUntil(driver, () => fetch(`${base}/status`).then(Boolean, () => false))
  const request = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}/session${path}`, { method, body: body && JSON.stringify(body) })
    const { value } = (await response.json()) as { value: never }
    const failure = value as null | { error?: string; message?: string }
    if (!response.ok) throw new Error(`${failure?.error}: ${failure?.message}`)
    return value
  }
  const options = { binary, args: ['--automation'] }
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
  const { sessionId } = (await request('POST', '', { capabilities })) as { sessionId: string }
  const send: Send = (_, path, parameters) => request('POST', `/${sessionId}/${path}`, parameters)
  const stop = async () => {
    await request('DELETE', `/${sessionId}`)
    await stopCommand(driver)
    await stopCommand(screen)
    rmSync(settings, { recursive: true, force: true })
  }
  return { send, stop }
}

function startCommand(command: string, arguments_: string[], environment: Record<string, string>) {
  const child = spawn(command, arguments_, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.once('error', ({ message }) => {
    console.error(`${message}: apt-get install firefox-esr webkit2gtk-driver xvfb`)
    process.exit(1)
  })
  child.stdout?.resume()
  return child
}

async function waitUntil(child: ChildProcess, isReady: () => boolean | Promise<boolean>) {
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode} before it was ready.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function stopCommand(child: ChildProcess) {
  const exited = once(child, 'exit')
  child.kill()
  await exited
}
