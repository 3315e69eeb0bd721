import type { ClientActionFunctionArgs } from 'react-router'
import { orUnanswered } from '../ui/or-unanswered.ts'
import type { ContentAnswer } from './content-answer.ts'
import { forgetDraft } from './content-drafts.ts'

/**
 * The client's action of a page with the form of a card: once it is saved, this browser forgets what it kept of it; where
 * the server cannot be reached, what was typed stays and the page says so.
 */
export async function keptUntilSaved({
  request,
  serverAction,
}: Pick<ClientActionFunctionArgs, 'request'> & { serverAction: () => Promise<unknown> }) {
  const form = await request.clone().formData()
  const sent = (name: string) => String(form.get(name) ?? '')
  const save = () =>
    serverAction().catch((error) => {
      // Going on to the collection's page is thrown too.
      if (error instanceof Response) forgetDraft({ collection: sent('collection'), id: sent('id') || undefined })
      throw error
    })
  return orUnanswered<unknown, ContentAnswer>(save, { intent: sent('intent'), version: 0, failed: OFFLINE })
}

const OFFLINE = 'データの保存に失敗しました。入力した内容はこの画面に残っています。もう一度お試しください'
