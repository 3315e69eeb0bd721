import { ArrowUpDown, JapaneseYen, Plus } from 'lucide'
import type { Card } from '../cards/card.ts'
import type { ReorderResult } from '../cards/reorder.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './dining-editor.module.css'

export function DiningTools({ arranging, hasSeveral }: { arranging: boolean; hasSeveral: boolean }) {
  return (
    <div className={styles.tools}>
      {arranging ? (
        <LinkButton to="/dining">お料理に戻る</LinkButton>
      ) : (
        <>
          {hasSeveral && (
            <LinkButton to="/dining?arrange" preventScrollReset>
              <Icon of={ArrowUpDown} size={17} />
              並べ替える
            </LinkButton>
          )}
          {hasSeveral && (
            <LinkButton to="/dining/prices">
              <Icon of={JapaneseYen} size={17} />
              価格をまとめて変更
            </LinkButton>
          )}
          <LinkButton to="/dining/new/add" primary state={{ over: true }} preventScrollReset>
            <Icon of={Plus} size={18} />
            料理を追加
          </LinkButton>
        </>
      )}
    </div>
  )
}

export function SoldOutSwitch({ item, soldOut }: { item: Card; soldOut: boolean }) {
  const save = useSave<ReorderResult>({ intents: ['sold out', 'not sold out'] })
  const submittedIntent = save.fetcher.formData?.get('intent')
  const isShown = submittedIntent ? submittedIntent === 'sold out' : soldOut
  return (
    <SaveForm save={save} action="/dining" className={styles.soldOut}>
      <input type="hidden" name="id" value={item.id} />
      <button
        type="submit"
        name="intent"
        value={isShown ? 'not sold out' : 'sold out'}
        role="switch"
        aria-checked={isShown}
        aria-label={`「${item.title}」を本日売り切れにする`}
      >
        <span className={styles.track} aria-hidden />
        本日売り切れ
      </button>
      {!save.answer?.done && <Outcome save={save} />}
    </SaveForm>
  )
}
