import { orUnanswered } from '../ui/or-unanswered.ts'
import { signInProblems } from './sign-in-problems.ts'

/** The answer of a server action or, where none came, the sentence for that in place of the form's errors. */
export function orNoNetwork<Answer>(serverAction: () => Promise<Answer>) {
  return orUnanswered(serverAction, { result: { status: 'error' as const, error: { '': [signInProblems.network] } } })
}
