import { data } from 'react-router'

export function loader() {
  throw data(null, 404)
}

export default function NotFoundPage() {
  return null
}
