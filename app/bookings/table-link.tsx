import { useRouteLoaderData } from 'react-router'
import { words } from '../languages/words.tsx'
import { LinkButton } from '../ui/button.tsx'
import { TABLE_PATH } from './table-path.ts'

/** The link to the form for tables. Renders nothing if the footer has no such link, because the form is off. */
export function TableLink() {
  const root = useRouteLoaderData('root') as { footer: { to: string; label: string }[] } | undefined
  const link = root?.footer.find(({ to }) => to === TABLE_PATH)
  return (
    link && (
      <LinkButton to={TABLE_PATH} viewTransition>
        {words(link.label)}
      </LinkButton>
    )
  )
}
