import { useState } from 'react'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './page-adding.module.css'

export function AddPage() {
  const save = useSave()
  const { errors } = save
  const [open, setOpen] = useState(false)
  const draft = useDraft({ name: 'page new', start: {}, save, onRestore: () => setOpen(true) })
  const values = { ...draft.restored?.values }
  return (
    <details className={styles.add} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>新しいページを作成する</summary>
      <SaveForm save={save} draft={draft}>
        <div key={draft.restored?.at}>
          <Field label="ページのタイトル" required errors={errors?.title}>
            {(wiring) => (
              <input
                {...wiring}
                name="title"
                maxLength={maxCodeUnits(60)}
                autoComplete="off"
                defaultValue={values.title}
              />
            )}
          </Field>
          <Field
            label="アドレス"
            required
            hint="/p/ のあとに続く、半角の英数字です。たとえば about なら、ページは /p/about になります。あとから変更できません。"
            errors={errors?.name}
          >
            {(wiring) => (
              <input
                {...wiring}
                name="name"
                maxLength={40}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                defaultValue={values.name}
              />
            )}
          </Field>
        </div>
        <SubmitButton busy={save.busy}>作成して書きはじめる</SubmitButton>
        <Outcome save={save} />
      </SaveForm>
    </details>
  )
}
