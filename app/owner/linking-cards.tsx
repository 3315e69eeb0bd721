import { Link } from 'react-router'

/** A card that links to a page: its name, its collection in words, and its form. */
export type LinkingCard = { id: string; name: string; place: string; to: string }

/** The cards that link to a page, for its owner: visitors see none of these links while the page is hidden. */
export function LinkingCards({ cards }: { cards: LinkingCard[] }) {
  if (cards.length === 0) return null
  return (
    <div>
      <p>このページへのリンクがある項目です。ページを見せないあいだ、来訪者にはそのリンクを出しません。</p>
      <ul>
        {cards.map(({ id, name, place, to }) => (
          <li key={id}>
            <Link to={to}>{name}</Link>
            <span>{`（${place}）`}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
