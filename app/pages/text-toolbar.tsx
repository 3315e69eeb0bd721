import {
  Bold,
  Heading2,
  Heading3,
  type IconNode,
  ImagePlus,
  Link as LinkIcon,
  List,
  ListOrdered,
  Redo2,
  Undo2,
} from 'lucide'
import { Icon } from '../ui/icon.tsx'
import type { EditorState, TextEditor } from './text-editor.ts'
import styles from './text-field.module.css'

type Props = {
  /** Null until the editor has started. */
  editor: TextEditor | null
  state: EditorState
  controls: string
  onLink: () => void
  onPicture: (() => void) | undefined
}

const kindTools = [
  [Heading2, '見出し', 'heading'],
  [Heading3, '小見出し', 'subheading'],
  [List, '箇条書き', 'list'],
  [ListOrdered, '番号付き', 'numbered list'],
] as const

export function TextToolbar({ editor, state, controls, onLink, onPicture }: Props) {
  return (
    <div className={styles.tools} role="group" aria-label="文章の書式" aria-controls={controls}>
      {kindTools.map(([icon, name, kind]) => (
        <Tool key={kind} of={icon} name={name} pressed={state.kind === kind} onPress={() => editor?.toggleKind(kind)} />
      ))}
      <Tool of={Bold} name="太字" pressed={state.bold} onPress={() => editor?.toggleBold()} />
      <Tool of={LinkIcon} name="リンク" pressed={state.link} onPress={onLink} />
      {onPicture && <Tool of={ImagePlus} name="写真" onPress={onPicture} />}
      <Tool of={Undo2} name="元に戻す" disabled={!state.canUndo} onPress={() => editor?.undo()} />
      <Tool of={Redo2} name="やり直す" disabled={!state.canRedo} onPress={() => editor?.redo()} />
    </div>
  )
}

type ToolProps = { of: IconNode; name: string; pressed?: boolean; disabled?: boolean; onPress: () => void }

function Tool({ of, name, pressed, disabled = false, onPress }: ToolProps) {
  return (
    <button
      type="button"
      className={styles.tool}
      aria-pressed={pressed}
      aria-disabled={disabled || undefined}
      // If the editor lost the focus, the cursor and the on-screen keyboard would disappear.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => !disabled && onPress()}
    >
      <Icon of={of} size={18} />
      {name}
    </button>
  )
}
