import { expect } from '@playwright/test'
import type { Send } from './engines.ts'

type Reference = Record<string, string>

// WebDriver returns a reference to an element as an object with this key.
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** The only tab of the browser, with the same commands in each engine. */
export class Tab {
  readonly #send: Send
  readonly #origin: string

  constructor(send: Send, origin: string) {
    this.#send = send
    this.#origin = origin
  }

  /** Opens a page of the site and waits until the event handlers of the page are attached. */
  async open(path: string) {
    await this.#send('Navigate', 'url', { url: new URL(path, this.#origin).href })
    await this.expect(() => history.scrollRestoration === 'manual')
  }

  /** Runs a function in the page. The arguments and the result of the function are JSON or elements. */
  run<Arguments extends unknown[], Value>(work: (...given: Arguments) => Value, ...given: Arguments) {
    const script = `const done = arguments[arguments.length - 1]
      Promise.resolve((${work})(...arguments)).then(done, (error) => done({ failed: String(error) }))`
    return this.#send<Awaited<Value>>('ExecuteAsyncScript', 'execute/async', { script, args: given })
  }

  /** Waits until a function in the page returns true. */
  async expect<Arguments extends unknown[]>(work: (...given: Arguments) => unknown, ...given: Arguments) {
    await expect.poll(() => this.run(work, ...given).catch(String), `${work} ${given}`).toBe(true)
  }

  async expectText(text: string) {
    await expect.poll(() => this.text(), text).toContain(text)
  }

  async expectPath(path: string) {
    await expect.poll(() => this.run(() => location.pathname).catch(String)).toBe(path)
  }

  text() {
    return this.run(() => document.body.innerText).catch(String)
  }

  /** Waits for the first visible element that matches `selector` and has `text` in its name, label or content. */
  async find(selector: string, text = ''): Promise<string> {
    let reference: Reference | null = null
    const look = async () => {
      reference = (await this.run(findElement, selector, text).catch(() => null)) as Reference | null
      return reference !== null
    }
    await expect.poll(look, `${selector} ${text}`).toBe(true)
    return (reference as Reference | null)?.[ELEMENT] ?? ''
  }

  /** Clicks an element once no other element covers it, for example the image of a view transition. */
  async click(selector: string, text = '') {
    const id = await this.find(selector, text)
    await this.expect(isOnTop, { [ELEMENT]: id } as unknown as HTMLElement)
    await this.#send('ElementClick', `element/${id}/click`, { id })
  }

  /** Replaces the value of the field with this label. */
  async fill(label: string, text: string) {
    const id = await this.find('input, textarea', label)
    await this.#send('ElementClear', `element/${id}/clear`, { id })
    await this.type(id, text)
  }

  /** Selects the option with this value in the select with this label. */
  async choose(label: string, value: string) {
    const select = { [ELEMENT]: await this.find('select', label) } as unknown as HTMLSelectElement
    const find = ({ options }: HTMLSelectElement, wanted: string) => [...options].find((each) => each.value === wanted)
    const option = (await this.run(find, select, value)) as unknown as Reference
    const id = option[ELEMENT]
    await this.#send('ElementClick', `element/${id}/click`, { id })
  }

  async type(id: string, text: string) {
    await this.#send('ElementSendKeys', `element/${id}/value`, { id, text })
  }

  /** Presses one key for each character, on the focused element. */
  async press(keys: string) {
    const actions = [...keys].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
    await this.#send('PerformActions', 'actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  async hover(selector: string, text = '') {
    const id = await this.find(selector, text)
    const origin = { [ELEMENT]: id }
    const move = { type: 'pointerMove', duration: 0, x: 0, y: 0, origin }
    const mouse = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [move] }
    await this.#send('PerformActions', 'actions', { actions: [mouse] })
  }
}

function isOnTop(element: HTMLElement) {
  // WebDriver would scroll the element to the edge of the viewport, under the toolbar.
  element.scrollIntoView({ block: 'center' })
  const { x, y, width, height } = element.getBoundingClientRect()
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
}

function findElement(selector: string, text: string) {
  const getLabels = (element: HTMLElement) => {
    const labels = [...((element as HTMLInputElement).labels ?? [])].map((label) => label.innerText)
    return [element.getAttribute('aria-label') ?? '', ...labels, element.innerText].join(' ')
  }
  const isUsable = (element: HTMLElement) => (element as HTMLInputElement).type === 'file' || element.checkVisibility()
  return (
    [...document.querySelectorAll<HTMLElement>(selector)].find(
      (element) => isUsable(element) && getLabels(element).includes(text),
    ) ?? null
  )
}
