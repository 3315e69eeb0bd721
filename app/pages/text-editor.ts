import Squire from 'squire-rte'
import { isComposing } from '../ui/is-composing.ts'
import { blockTags, MAX_ROWS, parseLink, type RowKind, type Text } from './text.ts'
import { type Loss, type ParsedText, parseElement, parseHtml } from './text-from-html.ts'
import { createFigure, textToNodes } from './text-nodes.ts'

export type EditorState = { kind: RowKind; bold: boolean; link: boolean; canUndo: boolean; canRedo: boolean }

type EditorCallbacks = {
  onText: (text: Text) => void
  onState: (state: EditorState) => void
  onPasted: (sentence: string) => void
  onFigure: (figure: HTMLElement) => void
}

export type TextEditor = ReturnType<typeof startEditor>

const lossNotices: Record<Loss, string> = {
  picture: '写真は貼り付けられません。「写真」のボタンから追加してください。',
  figure: '図や数式、動画は貼り付けられません。',
  table: '表は、1行ずつの文章として貼り付けました。',
  footnote: '脚注は、本文と同じ文章として貼り付けました。',
  deletion: '取り消し線の付いた文字は貼り付けていません。',
  comment: 'コメントは貼り付けていません。',
}

const kindsByTag: Record<string, RowKind> = { H2: 'heading', H3: 'subheading', UL: 'list', OL: 'numbered list' }

// These shortcuts of the Squire editor are disabled, because they apply formats that a text cannot contain. Squire's
// handling of Tab is disabled too, because Tab must move the focus.
const disabledShortcuts = ['i', 'u', 'd', '[', ']', 'Shift-5', 'Shift-6', 'Shift-7'].flatMap((key) => [
  `Ctrl-${key}`,
  `Meta-${key}`,
])

/** Starts an editor in an element. All pasted, dropped and initial HTML is sanitized by `parseHtml`. */
export function startEditor(root: HTMLElement, text: Text, { onText, onState, onPasted, onFigure }: EditorCallbacks) {
  const listeners = new AbortController()
  const listen: Listen = (type, handler) =>
    root.addEventListener(type, handler, { capture: true, signal: listeners.signal })
  // These listeners are registered first, so that they run before the listeners of Squire.
  guardInput(listen, { onBreak: () => insertLineBreak(editor), onFigure })
  refuseFiles(listen, onPasted)
  // Squire may read the selection only after a button has the focus. Therefore the selection is read on blur.
  listen('blur', () => editor.getSelection())
  const editor = createEditor(root, listen, onPasted)

  const container = document.createElement('div')
  container.append(textToNodes(text))
  editor.setHTML(container.innerHTML)

  // Browsers add inline styles when they join or split lines, which the content security policy blocks after an undo.
  const styleObserver = new MutationObserver(() => {
    for (const element of root.querySelectorAll('[style]')) element.removeAttribute('style')
  })
  styleObserver.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ['style'] })
  reportChanges(editor, text, { onText, onState })

  return {
    ...editorCommands(editor),
    focus: () => editor.focus(),
    focusEnd: () => editor.focus().moveCursorToEnd(),
    /** Without `modifyDocument`, Squire would store the change of attributes as a step of its undo history. */
    setAttributes(attributes: Record<string, string | undefined>) {
      editor.modifyDocument(() => {
        for (const [name, value] of Object.entries(attributes)) {
          if (value === undefined) root.removeAttribute(name)
          else root.setAttribute(name, value)
        }
      })
    },
    stop() {
      listeners.abort()
      styleObserver.disconnect()
      editor.destroy()
    },
  }
}

type Listen = (type: string, handler: (event: Event) => void) => void
type GuardCallbacks = Pick<EditorCallbacks, 'onFigure'> & { onBreak: () => void }

// Blocks formats that a text does not have. A click or a key on a figure opens the dialog of the figure.
function guardInput(listen: Listen, { onBreak, onFigure }: GuardCallbacks) {
  listen('beforeinput', (event) => {
    const { inputType } = event as InputEvent
    if (inputType.startsWith('format') && inputType !== 'formatBold') cancelEvent(event)
    if (inputType === 'insertLineBreak') {
      cancelEvent(event)
      onBreak()
    }
  })
  listen('click', (event) => {
    const figure = eventFigure(event)
    if (!figure) return
    cancelEvent(event)
    onFigure(figure)
  })
  listen('keydown', (event) => {
    // Safari fires a keydown after an IME composition. If the key is Backspace, Squire would join two paragraphs.
    if (isComposing(event as KeyboardEvent)) return event.stopImmediatePropagation()
    const figure = eventFigure(event)
    if (!figure || (event as KeyboardEvent).key === 'Tab') return
    cancelEvent(event)
    if (['Enter', ' '].includes((event as KeyboardEvent).key)) onFigure(figure)
  })
  // The form must receive only the input event that the hidden field fires after a change of its value.
  listen('input', (event) => event.stopPropagation())
}

// Browsers would open a dropped file, or show a photograph that the text does not contain.
function refuseFiles(listen: Listen, onPasted: EditorCallbacks['onPasted']) {
  for (const type of ['dragover', 'drop'])
    listen(type, (event) => {
      const types = (event as DragEvent).dataTransfer?.types ?? []
      if (!types.includes('Files') || types.some((each) => each.startsWith('text/'))) return
      cancelEvent(event)
      if (type === 'drop') onPasted(lossNotices.picture)
    })
}

/** Squire makes a link of a selection over which a URL is pasted, also of URLs that no text can contain. */
class EditorOfTexts extends Squire {
  override makeLink(url: string, attributes?: Record<string, string>) {
    const link = parseLink(url)
    return link ? super.makeLink(link.href, attributes) : this.insertPlainText(url, true)
  }
}

function createEditor(root: HTMLElement, listen: Listen, onPasted: EditorCallbacks['onPasted']) {
  let plainText = ''
  for (const type of ['paste', 'drop']) {
    listen(type, (event) => {
      const { clipboardData, dataTransfer } = event as ClipboardEvent & DragEvent
      plainText = (clipboardData ?? dataTransfer)?.getData('text/plain') ?? ''
    })
  }
  let pasted: ParsedText = { text: [], losses: [] }
  const editor = new EditorOfTexts(root, {
    blockTag: 'P',
    addLinks: false,
    undo: { documentSizeThreshold: 0, undoLimit: 200 },
    sanitizeToDOMFragment: (html) => {
      pasted = parseHtml(html)
      return textToNodes(pasted.text ?? [])
    },
    didError: (error) => reportError(error),
  })
  for (const key of ['Tab', 'Shift-Tab', 'PageUp', 'PageDown', ...disabledShortcuts]) editor.setKeyHandler(key, null)
  editor.addEventListener('willPaste', (event) => {
    if (!pasted.text?.length) {
      event.preventDefault()
      const fallback = pasted.tooMuch ? '' : plainText
      plainText = ''
      if (fallback.trim()) setTimeout(() => editor.insertPlainText(fallback, true))
    }
    const sentence = pasteNoticeOf(pasted)
    // The input event of the paste clears notices, so the new notice follows later.
    if (sentence) setTimeout(() => onPasted(sentence))
  })
  editor.addEventListener('pasteImage', () => onPasted(lossNotices.picture))
  return editor
}

function reportChanges(editor: Squire, text: Text, { onText, onState }: Pick<EditorCallbacks, 'onText' | 'onState'>) {
  const undoState = { canUndo: false, canRedo: false }
  const reportState = () => onState({ ...readState(editor), ...undoState })
  let reportedText = JSON.stringify(text)
  editor.addEventListener('input', () => {
    const found = parseElement(editor.getRoot(), Number.POSITIVE_INFINITY)
    // Squire also fires input events for attributes and cursor markers, which do not change the text.
    const currentText = JSON.stringify(found.text)
    if (!found.text || currentText === reportedText) return
    reportedText = currentText
    onText(found.text)
  })
  for (const type of ['pathChange', 'cursor', 'select']) editor.addEventListener(type, reportState)
  editor.addEventListener('undoStateChange', (event) => {
    Object.assign(undoState, (event as CustomEvent).detail)
    reportState()
  })
}

function editorCommands(editor: Squire) {
  return {
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    toggleBold: () => (editor.hasFormat('B') ? editor.removeBold() : editor.bold()),
    toggleKind(kind: Exclude<RowKind, 'paragraph'>) {
      const current = readState(editor).kind
      const isActive = current === kind
      if (kind === 'list' || kind === 'numbered list') {
        if (isActive) editor.removeList()
        else if (kind === 'list') editor.makeUnorderedList()
        else editor.makeOrderedList()
        splitListsAtImages(editor)
      } else {
        if (current === 'list' || current === 'numbered list') editor.removeList()
        renameBlocks(editor, blockTags[isActive ? 'paragraph' : kind])
      }
    },
    currentLink: () => ({
      href: selectedLink(editor)?.getAttribute('href') ?? '',
      hasSelection: hasSelectedText(editor),
    }),
    setLink(href: string, label: string) {
      selectWholeLink(editor)
      if (hasSelectedText(editor)) {
        editor.makeLink(href)
        return
      }
      editor.saveUndoState()
      const anchor = document.createElement('a')
      anchor.href = href
      anchor.append(label)
      editor.insertElement(anchor)
    },
    removeLink() {
      selectWholeLink(editor)
      editor.removeLink()
    },
    insertImage(url: string, alt: string) {
      editor.saveUndoState()
      editor.insertElement(createFigure(url, alt))
    },
    setImageAlt(figure: HTMLElement, alt: string) {
      editor.saveUndoState()
      const url = figure.querySelector('img')?.getAttribute('src') ?? ''
      figure.replaceWith(createFigure(url, alt))
    },
    removeImage(figure: HTMLElement) {
      editor.saveUndoState()
      figure.remove()
    },
  }
}

// Squire moves selected images into list items, but a text has its images between its lists.
function splitListsAtImages(editor: Squire) {
  for (const image of editor.getRoot().querySelectorAll<HTMLImageElement>('li img')) {
    const item = image.closest('li')
    const list = item?.parentElement
    if (!item || !list) continue
    const rest = document.createElement(list.localName)
    while (item.nextSibling) rest.append(item.nextSibling)
    list.after(createFigure(image.getAttribute('src') ?? '', image.alt), rest)
    item.remove()
    for (const part of [list, rest]) if (!part.hasChildNodes()) part.remove()
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

// Browsers render a line break at the end of a block only if a second line break follows.
function insertLineBreak(editor: Squire) {
  editor.splitBlock(true)
  const range = editor.getSelection()
  const block = selectedBlock(editor)
  if (!block) return
  const rest = range.cloneRange()
  rest.setEnd(block, block.childNodes.length)
  if (rest.toString() === '') {
    range.insertNode(document.createElement('br'))
    range.collapse(true)
    editor.setSelection(range)
  }
}

function readState(editor: Squire) {
  const block = selectedBlock(editor)
  return {
    kind: kindsByTag[block?.nodeName ?? ''] ?? 'paragraph',
    bold: editor.hasFormat('B'),
    link: selectedLink(editor) !== null,
  }
}

function selectedBlock(editor: Squire) {
  const root = editor.getRoot()
  const { startContainer, startOffset } = editor.getSelection()
  let node: Node | null = startContainer === root ? (root.childNodes[startOffset] ?? null) : startContainer
  while (node && node.parentNode !== root) node = node.parentNode
  return node
}

function selectedLink(editor: Squire) {
  const { startContainer } = editor.getSelection()
  const element = startContainer instanceof Element ? startContainer : startContainer.parentElement
  const link = element?.closest('a') ?? null
  return link && editor.getRoot().contains(link) ? link : null
}

function hasSelectedText(editor: Squire) {
  return editor.getSelectedText().trim() !== ''
}

/** Extends a selection within a link to the whole link. */
function selectWholeLink(editor: Squire) {
  const link = selectedLink(editor)
  const range = editor.getSelection()
  if (!link?.contains(range.endContainer)) return
  range.selectNodeContents(link)
  editor.setSelection(range)
}

function pasteNoticeOf(pasted: ParsedText) {
  if (pasted.tooMuch) return `貼り付ける文章が長すぎます。${MAX_ROWS}段落以内に分けて貼り付けてください。`
  return pasted.losses.map((loss) => lossNotices[loss]).join('')
}

function cancelEvent(event: Event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

function eventFigure({ target }: Event) {
  return target instanceof Element ? target.closest<HTMLElement>('figure') : null
}
