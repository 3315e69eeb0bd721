import type { ReactNode } from 'react'
import { pictureSources } from '../media/image.ts'
import { Picture } from '../media/picture.tsx'
import type { CollectionName, Field } from './card.ts'
import styles from './card-form.module.css'
import { fieldInWords } from './card-words.ts'

type Props = {
  field: Field
  collection: CollectionName
  theirs: string
  children: ReactNode
}

/** Conflicting field: a choice between the editor's own value and the value that somebody else saved. */
export function Choice({ field, collection, theirs, children }: Props) {
  return (
    <fieldset className={styles.choice}>
      <legend>{`${fieldInWords(field, collection)}: どちらを残しますか`}</legend>
      <div className={styles.sides}>
        <div>
          <label className={styles.side}>
            <input type="radio" name={`choice.${field}`} value="own" defaultChecked />
            あなたの入力を残す
          </label>
          {children}
        </div>
        <div>
          <label className={styles.side}>
            <input type="radio" name={`choice.${field}`} value="theirs" />
            ほかの方の入力を残す
          </label>
          {field === 'image' && pictureSources(theirs) ? (
            <Picture url={theirs} alt="ほかの方の写真" sizes="320px" />
          ) : (
            <p className={styles.theirs}>{inWords(field, theirs)}</p>
          )}
        </div>
      </div>
    </fieldset>
  )
}

function inWords(field: Field, value: string) {
  if (field === 'allergensConfirmed') return value === 'on' ? '確認済み' : '未確認'
  if (field === 'draft') return value === 'on' ? '下書きにする' : '公開する'
  return value || '（空）'
}
