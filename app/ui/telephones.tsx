import { Fragment } from 'react'
import { words } from '../languages/words.tsx'
// `formatTelephones` leaves only digits and hyphens in a number.
export const TELEPHONE = /(\+?\d[\d-]{8,})/

export function Telephones({ text }: { text: string }) {
  return text.split(TELEPHONE).map((part, index) =>
    index % 2 ? (
      <a key={index} href={`tel:${part.replaceAll('-', '')}`}>
        {part}
      </a>
    ) : (
      <Fragment key={index}>{words(part)}</Fragment>
    ),
  )
}
