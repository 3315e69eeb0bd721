import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button, LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { OpenedDays } from './business-days.server.ts'
import styles from './business-days-page.module.css'
import type { HoursResult } from './business-days-result.ts'

type Props = {
  /** URL of the form without the question. */
  back: string
  /** For a page with several forms. */
  intent?: string
  /** The buttons; the last is the primary one. */
  yes: { name: string; value: string; label: string }[]
  busy: boolean
  children: ReactNode
}

type HoursProps = Omit<Props, 'yes' | 'children'> & { answer: HoursResult; label: string }

/** Question if the hours are missing or leave out a usual slot; `label` is on the button that saves these anyway. */
export function ConfirmHours({ answer: { lacksHours, sure = [] }, label, ...question }: HoursProps) {
  if (!lacksHours)
    return (
      <ConfirmStep {...question} yes={[{ name: 'sure', value: 'yes', label }]}>
        {sure.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </ConfirmStep>
    )
  const yes = [
    { name: 'sure', value: 'yes', label: '時間は決めない' },
    { name: 'sure', value: '', label: 'この時間で保存する' },
  ]
  return (
    <ConfirmStep {...question} yes={yes}>
      <p>営業時間が入力されていません。上で時間を選ぶか、「時間は決めない」を押してください。</p>
      <p>決めないと、検索や地図のサービスには、その曜日の通常の時間が表示されることがあります。</p>
    </ConfirmStep>
  )
}

export function ConfirmClosedDays({ days, ...question }: Omit<Props, 'yes' | 'children'> & { days: OpenedDays[] }) {
  const yes = [
    { name: 'closedDays', value: 'open', label: '営業する' },
    { name: 'closedDays', value: 'closed', label: '定休日を優先する' },
  ]
  return (
    <ConfirmStep {...question} yes={yes}>
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

/** Confirmation question in place of the pressed submit button. */
export function ConfirmStep({ back, intent, yes, busy, children }: Props) {
  // The pressed button has been removed, so the focus moves to the cancel link.
  const first = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    first.current?.focus()
    // The other buttons may be on lines below the link.
    first.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <Notice kind="trouble">
      {children}
      {intent && <input type="hidden" name="intent" value={intent} />}
      <div className={`${styles.actions} ${styles.answers}`}>
        <LinkButton ref={first} to={back} reloadDocument>
          やめる
        </LinkButton>
        {yes.map(({ name, value, label }, index) => (
          <Button
            key={value}
            type="submit"
            name={name}
            value={value}
            aria-disabled={busy}
            primary={index === yes.length - 1}
          >
            {label}
          </Button>
        ))}
      </div>
    </Notice>
  )
}
