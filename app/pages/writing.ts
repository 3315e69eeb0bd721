import Squire from 'squire-rte'
import { isComposing } from '../ui/is-composing.ts'
import { elementsOf, pictureElement } from './elements-of.ts'
import { MAX_ROWS, type RowKind, type Text, tags } from './text.ts'
import { type Found, type Loss, textInHtml, textUnder } from './text-from-html.ts'

export type State = { kind: RowKind; bold: boolean; link: boolean; canUndo: boolean; canRedo: boolean }

type Told = {
  onText: (text: Text) => void
  onState: (state: State) => void
  /** Called with a notice if a paste has dropped or simplified content. */
  onPasted: (sentence: string) => void
  onFigure: (figure: HTMLElement) => void
}

export type Writing = ReturnType<typeof startWriting>

const notices: Record<Loss, string> = {
  picture: '写真は貼り付けられません。「写真」のボタンから入れてください。',
  figure: '図や数式、動画は貼り付けられません。',
  table: '表は、1行ずつの文章として貼り付けました。',
  footnote: '脚注は、本文と同じ文章として貼り付けました。',
  deletion: '取り消し線で消された文字は貼り付けていません。',
  comment: 'コメントは貼り付けていません。',
}

const kinds: Record<string, RowKind> = { H2: 'heading', H3: 'subheading', UL: 'list', OL: 'numbered list' }

// Squire's shortcuts for formats that a text does not have. They are disabled, like Tab, which must move the focus.
const otherKeys = ['i', 'u', 'd', '[', ']', 'Shift-5', 'Shift-6', 'Shift-7'].flatMap((key) => [
  `Ctrl-${key}`,
  `Meta-${key}`,
])

/** Starts an editor in an element. All pasted, dropped and initial HTML is sanitized by `textInHtml`. */
export function startWriting(root: HTMLElement, text: Text, { onText, onState, onPasted, onFigure }: Told) {
  const listening = new AbortController()
  const listen: Listen = (type, hear) => root.addEventListener(type, hear, { capture: true, signal: listening.signal })
  // Registered first, so that these listeners run before those of Squire.
  guardInput(listen, { onBreak: () => breakLine(editor), onFigure })
  // Squire reads the selection late, when a button may already have the focus.
  listen('blur', () => editor.getSelection())
  const editor = pastingEditor(root, listen, onPasted)

  const holder = document.createElement('div')
  holder.append(elementsOf(text))
  editor.setHTML(holder.innerHTML)

  // Browsers add inline styles when they join or split lines. The content security policy blocks these after an undo.
  const unstyling = new MutationObserver(() => {
    for (const styled of root.querySelectorAll('[style]')) styled.removeAttribute('style')
  })
  unstyling.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ['style'] })
  reportChanges(editor, text, { onText, onState })

  return {
    ...commandsOf(editor),
    focus: () => editor.focus(),
    /** Sets attributes of the field. Outside `modifyDocument`, Squire would store them as a step of its undo history. */
    setAttributes(attributes: Record<string, string | undefined>) {
      editor.modifyDocument(() => {
        for (const [name, value] of Object.entries(attributes)) {
          if (value === undefined) root.removeAttribute(name)
          else root.setAttribute(name, value)
        }
      })
    },
    stop() {
      listening.abort()
      unstyling.disconnect()
      editor.destroy()
    },
  }
}

type Listen = (type: string, hear: (event: Event) => void) => void
type Guarded = Pick<Told, 'onFigure'> & { onBreak: () => void }

// Blocks formats that a text does not have, and makes a figure one object that opens its dialog.
function guardInput(listen: Listen, { onBreak, onFigure }: Guarded) {
  listen('beforeinput', (event) => {
    const { inputType } = event as InputEvent
    if (inputType.startsWith('format') && inputType !== 'formatBold') stop(event)
    if (inputType === 'insertLineBreak') {
      stop(event)
      onBreak()
    }
  })
  listen('click', (event) => {
    const figure = figureOf(event)
    if (!figure) return
    stop(event)
    onFigure(figure)
  })
  listen('keydown', (event) => {
    // Safari fires a keydown after an IME composition. Squire would handle a Backspace and join two paragraphs.
    if (isComposing(event as KeyboardEvent)) return event.stopImmediatePropagation()
    const figure = figureOf(event)
    if (!figure || (event as KeyboardEvent).key === 'Tab') return
    stop(event)
    if (['Enter', ' '].includes((event as KeyboardEvent).key)) onFigure(figure)
  })
  // The form must receive only the input event of the hidden field, after its value has changed.
  listen('input', (event) => event.stopPropagation())
}

function pastingEditor(root: HTMLElement, listen: Listen, onPasted: Told['onPasted']) {
  let plain = ''
  for (const type of ['paste', 'drop']) {
    listen(type, (event) => {
      const { clipboardData, dataTransfer } = event as ClipboardEvent & DragEvent
      plain = (clipboardData ?? dataTransfer)?.getData('text/plain') ?? ''
    })
  }
  let brought: Found = { text: [], losses: [] }
  const editor = new Squire(root, {
    blockTag: 'P',
    addLinks: false,
    undo: { documentSizeThreshold: 0, undoLimit: 200 },
    sanitizeToDOMFragment: (html) => {
      brought = textInHtml(html)
      return elementsOf(brought.text ?? [])
    },
    didError: (error) => reportError(error),
  })
  for (const key of ['Tab', 'Shift-Tab', 'PageUp', 'PageDown', ...otherKeys]) editor.setKeyHandler(key, null)
  editor.addEventListener('willPaste', (event) => {
    if (!brought.text?.length) {
      event.preventDefault()
      const words = brought.tooMuch ? '' : plain
      plain = ''
      if (words.trim()) setTimeout(() => editor.insertPlainText(words, true))
    }
    const sentence = saidOf(brought)
    // The input event of the paste clears notices, so the new notice follows later.
    if (sentence) setTimeout(() => onPasted(sentence))
  })
  editor.addEventListener('pasteImage', () => onPasted(notices.picture))
  return editor
}

function reportChanges(editor: Squire, text: Text, { onText, onState }: Pick<Told, 'onText' | 'onState'>) {
  const undoing = { canUndo: false, canRedo: false }
  const tellState = () => onState({ ...stateOf(editor), ...undoing })
  let told = JSON.stringify(text)
  editor.addEventListener('input', () => {
    const found = textUnder(editor.getRoot(), Number.POSITIVE_INFINITY)
    // Squire also fires input events for attributes and cursor markers, which do not change the text.
    const now = JSON.stringify(found.text)
    if (!found.text || now === told) return
    told = now
    onText(found.text)
  })
  for (const type of ['pathChange', 'cursor', 'select']) editor.addEventListener(type, tellState)
  editor.addEventListener('undoStateChange', (event) => {
    Object.assign(undoing, (event as CustomEvent).detail)
    tellState()
  })
}

function commandsOf(editor: Squire) {
  return {
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    bold: () => (editor.hasFormat('B') ? editor.removeBold() : editor.bold()),
    /** Changes the selected lines to a kind, or back to paragraphs if the first line already has that kind. */
    turn(kind: Exclude<RowKind, 'paragraph'>) {
      const current = stateOf(editor).kind
      const isIt = current === kind
      if (kind === 'list' || kind === 'numbered list') {
        if (isIt) editor.removeList()
        else if (kind === 'list') editor.makeUnorderedList()
        else editor.makeOrderedList()
      } else {
        if (current === 'list' || current === 'numbered list') editor.removeList()
        renameBlocks(editor, tags[isIt ? 'paragraph' : kind])
      }
    },
    /** Returns the URL of the link at the cursor, and whether text is selected. */
    linkHere: () => ({ href: linkOf(editor)?.getAttribute('href') ?? '', hasWords: hasWords(editor) }),
    /** Changes the link at the cursor, or links the selection, or inserts a new link with the text `words`. */
    link(href: string, words: string) {
      const link = linkOf(editor)
      if (link) markContents(editor, link)
      if (link || hasWords(editor)) {
        editor.makeLink(href)
        return
      }
      editor.saveUndoState()
      const made = document.createElement('a')
      made.href = href
      made.append(words)
      editor.insertElement(made)
    },
    unlink() {
      const link = linkOf(editor)
      if (link) markContents(editor, link)
      editor.removeLink()
    },
    picture(url: string, alt: string) {
      editor.saveUndoState()
      editor.insertElement(pictureElement(url, alt))
    },
    describe(figure: HTMLElement, alt: string) {
      editor.saveUndoState()
      const url = figure.querySelector('img')?.getAttribute('src') ?? ''
      figure.replaceWith(pictureElement(url, alt))
    },
    takeOut(figure: HTMLElement) {
      editor.saveUndoState()
      figure.remove()
    },
  }
}

function renameBlocks(editor: Squire, tag: string) {
  editor.modifyBlocks((fragment) => {
    for (const block of [...fragment.children]) {
      if (block.localName === 'figure') continue
      const renamed = document.createElement(tag)
      renamed.append(...block.childNodes)
      block.replaceWith(renamed)
    }
    return fragment
  })
  editor.focus()
}

// Browsers render a line break at the end of a block only if a second one follows.
function breakLine(editor: Squire) {
  editor.splitBlock(true)
  const range = editor.getSelection()
  const block = rowAt(editor)
  if (!block) return
  const rest = range.cloneRange()
  rest.setEnd(block, block.childNodes.length)
  if (rest.toString() === '') {
    range.insertNode(document.createElement('br'))
    range.collapse(true)
    editor.setSelection(range)
  }
}

function stateOf(editor: Squire) {
  const block = rowAt(editor)
  return {
    kind: kinds[block?.nodeName ?? ''] ?? 'paragraph',
    bold: editor.hasFormat('B'),
    link: linkOf(editor) !== null,
  }
}

// Returns the top-level element in which the selection begins.
function rowAt(editor: Squire) {
  const root = editor.getRoot()
  const { startContainer, startOffset } = editor.getSelection()
  let node: Node | null = startContainer === root ? (root.childNodes[startOffset] ?? null) : startContainer
  while (node && node.parentNode !== root) node = node.parentNode
  return node
}

function linkOf(editor: Squire) {
  const { startContainer } = editor.getSelection()
  const element = startContainer instanceof Element ? startContainer : startContainer.parentElement
  const link = element?.closest('a') ?? null
  return link && editor.getRoot().contains(link) ? link : null
}

function hasWords(editor: Squire) {
  return editor.getSelectedText().trim() !== ''
}

function markContents(editor: Squire, element: Element) {
  const range = document.createRange()
  range.selectNodeContents(element)
  editor.setSelection(range)
}

function saidOf(brought: Found) {
  if (brought.tooMuch) return `貼り付ける文章が長すぎます。${MAX_ROWS}段落までに分けて、貼り付けてください。`
  return brought.losses.map((loss) => notices[loss]).join('')
}

function stop(event: Event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

function figureOf({ target }: Event) {
  return target instanceof Element ? target.closest<HTMLElement>('figure') : null
}
