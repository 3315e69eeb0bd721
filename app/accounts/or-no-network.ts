import { data } from 'react-router'
import { signInProblems } from './sign-in-problems.ts'

/** The answer of a server action or, where the server cannot be reached, that sentence in place of the form's errors. */
export async function orNoNetwork<T>(serverAction: () => Promise<T>) {
  try {
    return await serverAction()
  } catch (error) {
    // fetch() rejects with a TypeError where no answer came
    if (!(error instanceof TypeError)) throw error
    // 503: React Router then leaves the page's data as it is, since that could not be reached either
    return data({ result: { status: 'error' as const, error: { '': [signInProblems.network] } } }, 503)
  }
}
