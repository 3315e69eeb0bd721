import { sharedValue } from '../ui/shared-value.ts'

/** How the site was when a page's data, or its script, were last asked for. */
type Reach = 'reached' | 'unreachable' | 'failing'

/** How the site is, as far as it is known. */
export const { tell: tellReach, useValue: useReach } = sharedValue<Reach>('reached')
