import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './resting-notice.module.css'

/** Informs a resting member, and lets the member come back by one tap. */
export function RestingNotice({ memberId }: { memberId: string }) {
  const save = useSave({ intents: [], leaves: true })
  return (
    <>
      <Notice>
        <SaveForm save={save} action="/memberlist" hiddenFields={{ member: memberId }} className={styles.resting}>
          <span>休会中のため、予定のお知らせは届かず、出欠の人数にも入りません。</span>
          <Button type="submit" name="deed" value="resume" primary aria-disabled={save.busy}>
            復帰する
          </Button>
        </SaveForm>
      </Notice>
      <Outcome save={save} />
    </>
  )
}
