import { seesBackups } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { OPERATOR } from '../ui/operator.ts'
import { shortageSentence } from './disk-space.ts'

/** Returns the disk space warning. Returns null if there is enough space or the visitor is no administrator. */
export async function diskSpaceWarning(context: RequestContext) {
  if (!seesBackups(contextOf(context).visitor)) return null
  try {
    const sentence = shortageSentence(await contextOf(context).space())
    return sentence && `${sentence}空きがなくなると、保存できなくなります。`
  } catch (error) {
    contextOf(context).log.error({ err: error }, 'disk space check failed')
    return `ディスクの空きを確認できません。${OPERATOR}に、原因の確認をご依頼ください。`
  }
}
