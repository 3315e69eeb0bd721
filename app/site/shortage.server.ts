import { seesBackups } from '../permissions.ts'
import { logKey, type RequestContext, visitorKey } from '../request.ts'
import { KEEPER } from '../ui/keeper.ts'
import { shortageInWords, spaceKey } from './disk-space.ts'

/** What administrators are told where there is too little room for the data; null else, and for everyone else. */
export async function shortageOfSpace(context: RequestContext) {
  if (!seesBackups(context.get(visitorKey))) return null
  try {
    const sentence = shortageInWords(await context.get(spaceKey)())
    return sentence && `${sentence}なくなると、保存できなくなります。`
  } catch (error) {
    context.get(logKey).error({ err: error }, 'no room can be told')
    return `ディスクの空きを確かめられません。${KEEPER}に、わけをお調べいただくようお頼みください。`
  }
}
