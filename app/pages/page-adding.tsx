import { useState } from 'react'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { TextSetting } from '../forms/settings-form.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './page-adding.module.css'
import { pageTexts } from './page-words.ts'

export function AddPage() {
  const save = useSave()
  const [open, setOpen] = useState(save.errors !== undefined)
  const draft = useDraft({ name: 'page new', start: {}, save, onRestore: () => setOpen(true) })
  const state = { values: draft.restored?.values ?? save.answer?.values ?? {}, errors: save.errors, newer: undefined }
  return (
    <details className={styles.add} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>新しいページを作成する</summary>
      <SaveForm save={save} draft={draft} once="">
        <div key={draft.restored?.at}>
          <TextSetting name="title" {...pageTexts.title} required {...state} />
          <TextSetting
            name="name"
            label="アドレス"
            hint="/p/ のあとに続く、半角の英数字です。たとえば about なら、ページは /p/about になります。あとから変更できません。"
            required
            autoCapitalize="none"
            spellCheck={false}
            {...state}
          />
        </div>
        <SubmitButton busy={save.busy}>作成して書きはじめる</SubmitButton>
        <Outcome save={save} />
      </SaveForm>
    </details>
  )
}
