import { seesBackups } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { KEEPER } from '../ui/keeper.ts'
import { shortageInWords } from './disk-space.ts'

/** Returns the disk space warning for administrators; null if there is enough space, and for other visitors. */
export async function shortageOfSpace(context: RequestContext) {
  if (!seesBackups(contextOf(context).visitor)) return null
  try {
    const sentence = shortageInWords(await contextOf(context).space())
    return sentence && `${sentence}空きがなくなると、保存できなくなります。`
  } catch (error) {
    contextOf(context).log.error({ err: error }, 'no room can be told')
    return `ディスクの空きを確認できません。${KEEPER}に、原因の確認をご依頼ください。`
  }
}
