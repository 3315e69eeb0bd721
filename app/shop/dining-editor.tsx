import { ArrowUpDown, JapaneseYen, ListPlus, Pencil, Plus, Printer } from 'lucide'
import type { Card } from '../cards/card.ts'
import type { ReorderResult } from '../cards/reorder.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import type { Section } from '../sections/section.ts'
import { whyHidden } from '../sections/shown.ts'
import { Button, DialogLink, LinkButton } from '../ui/button.tsx'
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
          <LinkButton to="/dining/print">
            <Icon of={Printer} size={17} />
            印刷
          </LinkButton>
          <DialogLink to="/dining/sections/new/add">
            <Icon of={ListPlus} size={18} />
            分類を追加
          </DialogLink>
          {hasSeveral && (
            <LinkButton to="/dining/prices">
              <Icon of={JapaneseYen} size={17} />
              価格をまとめて変更
            </LinkButton>
          )}
          <DialogLink to="/dining/new/add" primary>
            <Icon of={Plus} size={18} />
            料理を追加
          </DialogLink>
        </>
      )}
    </div>
  )
}

/** Tools of a section at the time `now` in Japan (YYYY-MM-DDTHH:MM). */
export function SectionTools({ section, now }: { section: Section; now: string }) {
  const { id, name, hiddenUntil } = section
  const save = useSave({ intents: ['hide section', 'show section'] })
  const hidden = whyHidden(section, now)
  const isHiding = hiddenUntil <= now
  return (
    <div className={styles.section}>
      {hidden && <p className={styles.hidden}>{hidden}</p>}
      <DialogLink to={`/dining/sections/${id}/edit`} aria-label={`分類「${name}」を編集`}>
        <Icon of={Pencil} size={15} />
        編集
      </DialogLink>
      <DialogLink to={`/dining/new/add?section=${id}`} aria-label={`「${name}」に料理を追加`}>
        <Icon of={Plus} size={17} />
        料理を追加
      </DialogLink>
      <SaveForm save={save} action="/dining" hiddenFields={{ id }}>
        <Button
          type="submit"
          name="intent"
          value={isHiding ? 'hide section' : 'show section'}
          aria-disabled={save.busy}
          aria-label={isHiding ? `「${name}」を今日は出さない` : `「${name}」の表示を再開する`}
        >
          {isHiding ? '今日は出さない' : '表示を再開する'}
        </Button>
        {!save.answer?.done && <Outcome save={save} />}
      </SaveForm>
    </div>
  )
}

export function SoldOutSwitch({ item, soldOut }: { item: Card; soldOut: boolean }) {
  const save = useSave<ReorderResult>({ intents: ['sold out', 'not sold out'] })
  const savedIntent = save.isRevalidating ? save.answer?.intent : undefined
  const intent = save.fetcher.formData?.get('intent') ?? savedIntent
  const isShown = intent ? intent === 'sold out' : soldOut
  return (
    <SaveForm save={save} action="/dining" className={styles.soldOut} hiddenFields={{ id: item.id }}>
      <button
        type="submit"
        name="intent"
        value={isShown ? 'not sold out' : 'sold out'}
        role="switch"
        aria-checked={isShown}
        aria-disabled={save.busy}
        aria-label={`「${item.title}」を本日売り切れにする`}
      >
        <span className={styles.track} aria-hidden />
        本日売り切れ
      </button>
      {!save.answer?.done && <Outcome save={save} />}
    </SaveForm>
  )
}
