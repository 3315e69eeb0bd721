import { sharedValue } from '../ui/shared-value.ts'

/** Result of the last request for the data or the script of a route. */
type Reach = 'reached' | 'unreachable' | 'failing'

export const { tell: setConnectionState, useValue: useConnectionState } = sharedValue<Reach>('reached')
