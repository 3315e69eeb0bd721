import { UNSAFE_decodeViaTurboStream as decode } from 'react-router'

/** Returns the action's data in the response to a form that was sent to the `.data` URL of its page. */
export async function actionDataOf<Answer>({ body }: Response): Promise<Answer> {
  if (!body) throw new Error('Response body missing; expected an encoded stream')
  const { value } = await decode(body, globalThis)
  return (value as { data: Answer }).data
}
