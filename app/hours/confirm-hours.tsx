import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import type { Saving } from '../forms/use-save.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { OpenedDays } from './business-days.server.ts'
import styles from './business-days-page.module.css'
import type { HoursResult } from './business-days-result.ts'

export type StepProps = {
  /** URL of the form without the confirmation dialog. */
  back: string
  /** The intent that the dialog submits, on a page with several forms. */
  intent?: string
  save: Saving<HoursResult>
}

type Props = StepProps & {
  /** The buttons of the dialog. The last button is the primary button. */
  buttons: { name: string; value: string; label: string }[]
  children: ReactNode
}

/** The dialog for a save without hours or without a usual slot. `label` names the button that saves anyway. */
export function ConfirmHours({ label, ...step }: StepProps & { label: string }) {
  const { lacksHours, sure = [] } = step.save.answer ?? {}
  if (!lacksHours)
    return (
      <ConfirmStep {...step} buttons={[{ name: 'sure', value: 'yes', label }]}>
        {sure.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </ConfirmStep>
    )
  const buttons = [
    { name: 'sure', value: 'yes', label: '時間は決めない' },
    { name: 'sure', value: '', label: 'この時間で保存する' },
  ]
  return (
    <ConfirmStep {...step} buttons={buttons}>
      <p>営業時間が入力されていません。上で時間を選ぶか、「時間は決めない」を押してください。</p>
      <p>決めないと、検索や地図のサービスには、その曜日の通常の時間が表示されることがあります。</p>
    </ConfirmStep>
  )
}

/** Asks before another view or day replaces the form. */
export function UnsavedHours({ save: { isTyped, answer } }: { save: Saving<HoursResult> }) {
  const isRefused = Boolean(answer?.trouble ?? answer?.errors ?? answer?.newer)
  return (
    <UnsavedChangesPrompt
      asks={(isTyped || isRefused) && answer?.to === undefined}
      sentence="入力した内容はまだ保存されていません。この画面を離れますか？"
      confirm="離れる"
    />
  )
}

export function ConfirmClosedDays({ days, ...step }: StepProps & { days: OpenedDays[] }) {
  const buttons = [
    { name: 'closedDays', value: 'open', label: '営業する' },
    { name: 'closedDays', value: 'closed', label: '定休日を優先する' },
  ]
  return (
    <ConfirmStep {...step} buttons={buttons}>
      <p>以下の日は定休日ですが、祝日・祝前日の時間で営業することになります。よろしいですか？</p>
      <ul className={styles.opened}>
        {days.map(({ row, days }) => (
          <li key={row}>
            {row}
            <br />
            {days.map((day, index) => (
              <span key={day}>{index < days.length - 1 ? `${day}、` : day}</span>
            ))}
          </li>
        ))}
      </ul>
    </ConfirmStep>
  )
}

export function ConfirmStep({ back, intent, buttons, save, children }: Props) {
  // The pressed button is no longer on the page, so the focus moves to the cancel link.
  const cancelLink = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    if (save.isInOtherField()) return
    cancelLink.current?.focus()
    // The other buttons may wrap to lines below the link, so all of them are scrolled into view.
    cancelLink.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <Notice kind="trouble">
      {children}
      {intent && <input type="hidden" name="intent" value={intent} />}
      <div className={`${styles.actions} ${styles.answers}`}>
        <LinkButton ref={cancelLink} to={back} reloadDocument>
          やめる
        </LinkButton>
        {buttons.map(({ name, value, label }, index) => (
          <Button
            key={value}
            type="submit"
            name={name}
            value={value}
            aria-disabled={save.busy}
            primary={index === buttons.length - 1}
          >
            {label}
          </Button>
        ))}
      </div>
    </Notice>
  )
}
