import { UNSAFE_decodeViaTurboStream as decode } from 'react-router'

/** Returns the action's data in the response to a form that was sent to the `.data` URL of its page. */
export async function actionDataOf<Answer>(response: Response): Promise<Answer> {
  return ((await decodeBody(response)) as { data: Answer }).data
}

/** Returns the data of a route's loader in the response to the `.data` URL of its page. */
export async function loaderDataOf<Data>(response: Response, routeId: string): Promise<Data> {
  return ((await decodeBody(response)) as Record<string, { data: Data }>)[routeId]?.data as Data
}

async function decodeBody({ body }: Response) {
  if (!body) throw new Error('Response body missing; expected an encoded stream')
  return (await decode(body, globalThis)).value
}
