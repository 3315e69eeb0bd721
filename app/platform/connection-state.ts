import { sharedValue } from '../ui/shared-value.ts'

/** Result of the last request for route data or a route's script. */
type Reach = 'reached' | 'unreachable' | 'failing'

export const { tell: setConnectionState, useValue: useConnectionState } = sharedValue<Reach>('reached')
