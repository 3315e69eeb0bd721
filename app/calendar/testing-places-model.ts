// A model of places and their e-mails, which shares no code with the program. Parties stand in a list instead of having
// numbers, and the places follow from the definition instead of a single pass.

export const MEMBERS = 5
export const EVENTS = 2
/** The member who is an administrator, the member whose e-mail address is not verified, and the event of tomorrow. */
export const [ADMINISTRATOR, UNVERIFIED, TOMORROW] = [0, 4, 1]

export type Step =
  | { kind: 'answer'; member: number; event: number; answer: Answer; companions: number; by: 'self' | 'boss' }
  | { kind: 'save event'; event: number; capacity: number; open: boolean; past: boolean; by: 'administrator' | 'boss' }
  | { kind: 'delete event' | 'restore event'; event: number }
  | { kind: 'revert event'; event: number; version: number }
  | { kind: MemberStep; member: number; by: 'self' | 'boss' }
  | { kind: 'add guest'; event: number }
  | { kind: 'remove guest' | 'restore guest'; guest: number }
  | { kind: 'undo' }
export type MemberStep = 'approve' | 'withdraw' | 'rest' | 'resume' | 'delete' | 'restore'
export type Answer = 'yes' | 'no' | 'maybe' | null

type EventState = { capacity: number | null; open: boolean; past: boolean } | null
type MemberState = { approved: boolean; resting: boolean; deleted: boolean }
type Party = { name: string; size: number }
/** A record with its states in all versions. An undo is possible while the version of its save is the latest. */
type Recorded<State> = { states: State[] }
type Undoable = { record: Recorded<unknown>; version: number; before: unknown }

export class PlacesModel {
  events: Recorded<EventState>[]
  members: Recorded<MemberState>[]
  guests: (Recorded<boolean> & { name: string; event: number })[] = []
  answers = new Map<string, Answer>()
  mails: string[] = []
  #lines: Party[][]
  #knownPlaces = new Map<string, 'coming' | 'waiting'>()
  #last: Undoable | null = null

  constructor(capacities: (number | null)[]) {
    this.events = capacities.map((capacity) => ({ states: [{ capacity, open: true, past: false }] }))
    this.members = Array.from({ length: MEMBERS }, () => ({
      states: [{ approved: true, resting: false, deleted: false }],
    }))
    this.#lines = capacities.map(() => [])
  }

  event(index: number) {
    return current(this.events[index])
  }

  member(index: number) {
    return current(this.members[index])
  }

  isActive(index: number) {
    const { approved, resting, deleted } = this.member(index)
    return (approved || index === ADMINISTRATOR) && !resting && !deleted
  }

  /** Takes a step. Returns whether the program must accept the step. */
  take(step: Step): boolean {
    const actor = 'by' in step ? (step.by === 'self' ? (step as { member: number }).member : null) : null
    const before = this.members.map((_, member) => this.isActive(member))
    const isAccepted = this.#apply(step)
    const author = 'by' in step && step.by === 'self' ? 'self' : 'boss'
    for (const [member, wasActive] of before.entries())
      if (wasActive && !this.isActive(member)) this.#announceDeparture(member, author)
    if (isAccepted) this.#announce(actor)
    return isAccepted
  }

  #apply(step: Step) {
    switch (step.kind) {
      case 'answer':
        return this.#answer(step)
      case 'save event': {
        const { capacity, open, past } = step
        return this.event(step.event)
          ? this.#change(this.events[step.event], { capacity: open && capacity > 0 ? capacity : null, open, past })
          : false
      }
      case 'delete event':
        return this.event(step.event) ? this.#change(this.events[step.event], null) : false
      case 'restore event': {
        const before = this.events[step.event]?.states.at(-2)
        return this.event(step.event) || !before ? false : this.#change(this.events[step.event], before)
      }
      case 'revert event': {
        const state = this.events[step.event]?.states[step.version - 1]
        return state ? this.#change(this.events[step.event], state) : false
      }
      case 'add guest': {
        if (!this.event(step.event)?.open) return false
        const guest = { name: `guest ${this.guests.length}`, event: step.event, states: [false] }
        this.guests.push(guest)
        this.#lines[step.event]?.push({ name: guest.name, size: 1 })
        return this.#change(guest, true)
      }
      case 'remove guest':
      case 'restore guest': {
        const guest = this.guests[step.guest]
        const isPresent = step.kind === 'restore guest'
        return guest && current(guest) !== isPresent ? this.#change(guest, isPresent) : false
      }
      case 'undo': {
        const undo = this.#last
        if (!undo || undo.record.states.length !== undo.version) return false
        return this.#change(undo.record, undo.before)
      }
      default:
        return this.#manage(step.member, step.kind)
    }
  }

  #manage(index: number, kind: MemberStep) {
    const state = this.member(index)
    if (state.deleted && kind !== 'restore') return false
    const changes = {
      approve: { approved: true },
      withdraw: { approved: false },
      rest: { resting: true },
      resume: { resting: false },
      delete: { deleted: true },
      restore: { deleted: false },
    }[kind]
    const after = { ...state, ...changes }
    if (JSON.stringify(after) === JSON.stringify(state)) return false
    return this.#change(this.members[index], after)
  }

  #change<State>(record: Recorded<State> | undefined, after: State) {
    if (!record) return false
    this.#last = { record, version: record.states.length + 1, before: current(record) }
    record.states.push(after)
    return true
  }

  #answer({ member, event, answer, companions, by }: Extract<Step, { kind: 'answer' }>) {
    const state = this.event(event)
    const size = 1 + companions
    if (!state?.open || state.past) return false
    const key = `${member} ${event}`
    const before = this.answers.get(key) ?? null
    const line = this.#lines[event] ?? []
    const own = line.find(({ name }) => name === key)
    const isLarger = answer === 'yes' && size > (own?.size ?? 0)
    if (isLarger && state.capacity !== null && size > state.capacity) return false
    const known = this.#knownPlaces.get(key)
    this.answers.set(key, answer)
    if (before !== answer) this.#knownPlaces.delete(key)
    const others = line.filter((party) => party !== own)
    if (answer !== 'yes') this.#lines[event] = others
    else if (own && size <= own.size) own.size = size
    else this.#lines[event] = [...others, { name: key, size }]
    const isWithdrawal = before === 'yes' && answer !== 'yes' && known !== 'waiting'
    if (isWithdrawal && event === TOMORROW) this.#announceWithdrawal(member, by)
    return true
  }

  #announceDeparture(member: number, by: 'self' | 'boss') {
    const state = this.event(TOMORROW)
    const key = `${member} ${TOMORROW}`
    const hasPlace = this.answers.get(key) === 'yes' && this.#knownPlaces.get(key) !== 'waiting'
    if (state?.open && !state.past && hasPlace) this.#announceWithdrawal(member, by)
  }

  #announceWithdrawal(member: number, by: 'self' | 'boss') {
    const author = by === 'self' ? `account-${member}` : 'boss'
    const administrators = this.member(ADMINISTRATOR).deleted ? ['boss'] : [`account-${ADMINISTRATOR}`, 'boss']
    for (const each of administrators) if (each !== author) this.mails.push(`${each} withdrawal ${TOMORROW}`)
  }

  #announce(actor: number | null) {
    for (const [event, state] of this.events.map((record) => current(record)).entries()) {
      if (!state?.open || state.past) continue
      for (const [name, place] of this.places(event)) {
        const known = this.#knownPlaces.get(name)
        this.#knownPlaces.set(name, place)
        const member = Number(name.split(' ')[0])
        if (known !== undefined && known !== place && member !== actor && member !== UNVERIFIED)
          this.mails.push(`account-${member} ${place} ${event}`)
      }
    }
  }

  /** Returns the places of the members in the queue of an event, by `member event`. */
  places(event: number) {
    const capacity = this.event(event)?.capacity ?? Number.POSITIVE_INFINITY
    const line = (this.#lines[event] ?? []).filter(({ name }) => this.#isPresent(name))
    const isComing = (index: number): boolean => {
      const earlier = line.slice(0, index).filter(({ size }) => size <= capacity)
      const isBlocked = earlier.some((party) => !isComing(line.indexOf(party)))
      const taken = earlier.reduce((sum, { size }) => sum + size, 0)
      return !isBlocked && taken + (line[index]?.size ?? 0) <= capacity
    }
    const places = line.map(({ name }, index) => [name, isComing(index) ? 'coming' : 'waiting'] as const)
    return new Map(places.filter(([name]) => !name.startsWith('guest')))
  }

  #isPresent(name: string) {
    const guest = this.guests.find((each) => each.name === name)
    return guest ? current(guest) : this.isActive(Number(name.split(' ')[0]))
  }
}

function current<State>(record: Recorded<State> | undefined): State {
  return record?.states.at(-1) as State
}
