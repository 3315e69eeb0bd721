import page from '../ui/page.module.css'
import styles from './message.module.css'

type SentMessage = {
  id: string
  audience: string
  subject: string
  text: string
  recipients: number
  author: string
  createdAt: string
}

const timeFormat = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' })

export function SentMessages({ sent }: { sent: SentMessage[] }) {
  if (sent.length === 0) return null
  return (
    <section className={page.section} aria-labelledby="sent">
      <h2 id="sent">これまでの連絡</h2>
      <ul className={styles.sent}>
        {sent.map(({ id, audience, subject, text, recipients, author, createdAt }) => (
          <li key={id}>
            <details>
              <summary>{subject}</summary>
              <p className={styles.text}>{text}</p>
            </details>
            <p className={styles.hint}>
              {`${timeFormat.format(new Date(createdAt))}、${author} さんから ${audience}（${recipients}名）`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
