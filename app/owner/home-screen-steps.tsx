import type { ReactNode } from 'react'
import styles from './push-section.module.css'

/** Instructions for iPhones and iPads, on which only a page on the home screen receives notifications. */
export function HomeScreenSteps() {
  return (
    <>
      <p>iPhoneとiPadでは、このサイトをホーム画面に追加すると、通知を受け取れます（iOS 16.4以降）。</p>
      <ol className={styles.steps}>
        <Step text="共有ボタンを押します。画面の下か上にあります。見当たらないときは「…」を押してください。">
          <path className={styles.quiet} d="M24 16h80M24 28h60M24 40h72M24 52h40M8 66h112" />
          <g className={styles.quiet}>
            <path d="M17 78l-6 6 6 6M31 78l6 6-6 6M90 78v12h9v-12zM110 79h9v9h-9zM113 91h9v-9" />
          </g>
          <g className={styles.strong}>
            <path d="M60 82h-4v14h16V82h-4M64 90V73M59 78l5-5 5 5" />
            <circle cx="64" cy="84" r="17" />
          </g>
        </Step>
        <Step text="「ホーム画面に追加」を選びます。">
          <path className={styles.quiet} d="M24 20h52M24 40h64M24 92h44" />
          <rect className={styles.strong} x="12" y="54" width="104" height="26" rx="6" />
          <text x="20" y="71">
            ホーム画面に追加
          </text>
          <path className={styles.strong} d="M97 61h12v12H97zM103 64v6M100 67h6" />
        </Step>
        <Step text="ホーム画面にできたしるしから開き、ログインして、もう一度この画面を開きます。">
          <g className={styles.quiet}>
            <rect x="20" y="18" width="22" height="22" rx="6" />
            <rect x="53" y="18" width="22" height="22" rx="6" />
            <rect x="86" y="18" width="22" height="22" rx="6" />
            <rect x="20" y="54" width="22" height="22" rx="6" />
          </g>
          <g className={styles.strong}>
            <rect x="53" y="54" width="22" height="22" rx="6" />
            <path d="M58 70h12l-2-3v-4a4 4 0 0 0-8 0v4zM63 72h2" />
          </g>
        </Step>
      </ol>
    </>
  )
}

function Step({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li>
      <p>{text}</p>
      <svg viewBox="0 0 128 104" aria-hidden="true">
        {children}
      </svg>
    </li>
  )
}
