import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Visitor } from '../permissions.ts'
import type { SeenMember } from './members.server.ts'

type Circle = {
  /** Who is signed in. */
  user: Omit<NonNullable<Visitor>, 'member' | 'staff'> | null
  /** The record of whoever is signed in. */
  member: NonNullable<Visitor>['member']
  /** The members that the page shows; none on pages that show none. */
  members: readonly SeenMember[]
}

const nobody: Circle = { user: null, member: null, members: [] }
const CircleContext = createContext<Circle>(nobody)

const none: readonly SeenMember[] = []

/** Tells everything below who is signed in; fed by the root loader, and with `members` by a page that has the list. */
export function CircleProvider(props: { visitor: Visitor; members?: readonly SeenMember[]; children: ReactNode }) {
  const { visitor, members = none, children } = props
  const circle = useMemo(() => {
    if (!visitor) return nobody
    const { member, staff: _, ...user } = visitor
    return { user, member, members }
  }, [visitor, members])
  return <CircleContext value={circle}>{children}</CircleContext>
}

/** Who is signed in, their member record, and the members list where the page has it. */
export function useCircle() {
  return useContext(CircleContext)
}
