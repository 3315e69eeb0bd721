import { Link } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import type { ChecklistState } from './checklist.server.ts'
import styles from './welcome.module.css'

export function Checklist({ tasks }: { tasks: ChecklistState }) {
  const save = useSave({ intents: [HIDE_CHECKLIST] })
  if (tasks.length === 0 && (!save.answer || save.told)) return null
  return (
    <section className={page.section}>
      {tasks.length > 0 && (
        <>
          <h2>残っている準備</h2>
          <ul className={styles.left}>
            {tasks.map(({ what, to }) => (
              <li key={what}>
                <Link to={to}>{what}</Link>
              </li>
            ))}
          </ul>
          <SaveForm save={save}>
            <Button type="submit" name="intent" value={HIDE_CHECKLIST} aria-disabled={save.busy}>
              この一覧を非表示にする
            </Button>
          </SaveForm>
        </>
      )}
      <Outcome save={save} />
    </section>
  )
}

export const HIDE_CHECKLIST = 'put the list away'
