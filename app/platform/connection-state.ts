import { sharedValue } from '../ui/shared-value.ts'

type Reach = 'reached' | 'unreachable' | 'failing'

export const { tell: setConnectionState, useValue: useConnectionState } = sharedValue<Reach>('reached')
