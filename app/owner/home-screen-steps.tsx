import styles from './push-section.module.css'

const steps = [
  {
    text: '共有ボタンを押します。画面の下か上にあります。見当たらないときは「…」を押してください。',
    quiet: 'M24 16h80M24 28h60M24 40h72M24 52h40M8 66h112M17 78l-6 6 6 6M31 78l6 6-6 6M90 78v12h9v-12zM110 79h9v9h-9z',
    strong: 'M60 82h-4v14h16V82h-4M64 90V73M59 78l5-5 5 5M47 84a17 17 0 1 1 34 0a17 17 0 1 1-34 0',
  },
  {
    text: '「ホーム画面に追加」を選びます。',
    quiet: 'M24 20h52M24 40h64M24 92h44',
    strong: 'M18 54h92q6 0 6 6v14q0 6-6 6H18q-6 0-6-6V60q0-6 6-6zM97 61h12v12H97zM103 64v6M100 67h6',
    label: 'ホーム画面に追加',
  },
  {
    text: 'ホーム画面にできたしるしから開き、ログインして、もう一度この画面を開きます。',
    quiet: 'M20 18h22v22H20zM53 18h22v22H53zM86 18h22v22H86zM20 54h22v22H20z',
    strong: 'M53 54h22v22H53zM58 70h12l-2-3v-4a4 4 0 0 0-8 0v4zM63 72h2',
  },
]

/** Instructions for iPhones and iPads, on which only a page on the home screen receives notifications. */
export function HomeScreenSteps() {
  return (
    <>
      <p>iPhoneとiPadでは、このサイトをホーム画面に追加すると、通知を受け取れます（iOS 16.4以降）。</p>
      <ol className={styles.steps}>
        {steps.map(({ text, quiet, strong, label }) => (
          <li key={text}>
            <p>{text}</p>
            <svg viewBox="0 0 128 104" aria-hidden="true">
              <path className={styles.quiet} d={quiet} />
              <path className={styles.strong} d={strong} />
              <text x="20" y="71" fontSize="9">
                {label}
              </text>
            </svg>
          </li>
        ))}
      </ol>
    </>
  )
}
