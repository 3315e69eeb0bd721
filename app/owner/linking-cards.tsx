import { Link } from 'react-router'

type LinkingCard = { id: string; name: string; place: string; to: string }

export function LinkingCards({ cards }: { cards: LinkingCard[] }) {
  if (cards.length === 0) return null
  return (
    <div>
      <p>このページへのリンクがある項目です。ページを非公開にしているあいだ、お客さまにはそのリンクを表示しません。</p>
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
