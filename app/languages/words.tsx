import { isJapanese, japanese, japaneseRuns } from './language.ts'

/** Renders a text of the shop. On a page in another language, marks each run that is still Japanese. */
export function Words({ children }: { children: string }) {
  if (isJapanese()) return children
  return children.split(japaneseRuns).map((run, index) =>
    index % 2 === 1 ? (
      <span key={index} lang={japanese.code}>
        {run}
      </span>
    ) : (
      run
    ),
  )
}
