import { data } from 'react-router'

export const handle = { cache: 'minute', translations: 'program' }

export function loader() {
  throw data(null, 404)
}

export default function NotFoundPage() {
  return null
}
