import { type ClientActionFunctionArgs, data } from 'react-router'
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
  try {
    return await serverAction()
  } catch (error) {
    // Going on to the collection's page is thrown too.
    if (error instanceof Response) forgetDraft({ collection: sent('collection'), id: sent('id') || undefined })
    if (!(error instanceof TypeError)) throw error
    // The status keeps the loaders from asking a server that is out of reach.
    return data<ContentAnswer>({ intent: sent('intent'), version: 0, failed: OFFLINE }, { status: 503 })
  }
}

const OFFLINE = 'データの保存に失敗しました。入力した内容はこの画面に残っています。もう一度お試しください'
