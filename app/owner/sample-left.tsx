import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './sample-left.module.css'

export function SampleContent({ counts }: { counts: { place: string; count: number }[] }) {
  const save = useSave({ intents: [REMOVE_SAMPLE] })
  const count = counts.reduce((sum, each) => sum + each.count, 0)
  if (count === 0 && (!save.answer || save.told)) return null
  return (
    <section id="sample" className={page.section}>
      <h2>見本の内容</h2>
      {count > 0 && (
        <>
          <p>{`見本の内容が${count}件残っています。ご自身で書き換えたところは、この数に含みません。`}</p>
          <ul className={styles.places}>
            {counts.map(({ place, count }) => (
              <li key={place}>{`${place}（${count}件）`}</li>
            ))}
          </ul>
          <SaveForm save={save} hiddenFields={{ intent: REMOVE_SAMPLE }}>
            <SubmitButton busy={save.busy}>見本の内容をまとめて削除する</SubmitButton>
          </SaveForm>
        </>
      )}
      <Outcome save={save} />
    </section>
  )
}

export const REMOVE_SAMPLE = 'remove the sample'
