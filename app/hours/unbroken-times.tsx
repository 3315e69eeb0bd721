import { words } from '../languages/words.tsx'

/** Text without line breaks inside a time range such as 7:30〜10:00. */
export function UnbrokenTimes({ text }: { text: string }) {
  return text.split(/([翌\d:]+[〜–][翌\d:]+)/).map(
    (part, index) =>
      part && (
        <span key={index} className={index % 2 ? 'unbroken' : undefined}>
          {words(part)}
        </span>
      ),
  )
}
