import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Visitor } from '../permissions.ts'
import type { SeenMember } from './members.server.ts'

type Circle = {
  user: Omit<NonNullable<Visitor>, 'member' | 'staff'> | null
  member: NonNullable<Visitor>['member']
  /** The visible members. */
  members: readonly SeenMember[]
}

const guestCircle: Circle = { user: null, member: null, members: [] }
const CircleContext = createContext<Circle>(guestCircle)

type ProviderProps = Pick<Circle, 'members'> & { visitor: Visitor; children: ReactNode }

export function CircleProvider({ visitor, members, children }: ProviderProps) {
  const circle = useMemo(() => {
    if (!visitor) return guestCircle
    const { member, staff: _, ...user } = visitor
    return { user, member, members }
  }, [visitor, members])
  return <CircleContext value={circle}>{children}</CircleContext>
}

export function useCircle() {
  return useContext(CircleContext)
}
