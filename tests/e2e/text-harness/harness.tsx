import { StrictMode, useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { MemoryRouter } from 'react-router'
import TextField from '../../../app/pages/text-field.tsx'
import { parseHtml } from '../../../app/pages/text-from-html.ts'
import { readText } from '../../../app/pages/text-schema.ts'
import { TextView } from '../../../app/pages/text-view.tsx'
import { Announcements } from '../../../app/ui/announcements.tsx'
import '../../../app/ui/site.css'

Object.assign(window, { textInHtml: parseHtml })

function Page() {
  const [value, setValue] = useState(new URLSearchParams(location.search).get('text') ?? '')
  const [round, setRound] = useState(0)
  const { text = [], refusal } = readText(value)
  Object.assign(window, {
    clearText: () =>
      flushSync(() => {
        setValue('')
        setRound(round + 1)
      }),
  })
  return (
    <main>
      <form
        onInput={({ currentTarget }) => setValue(String(new FormData(currentTarget).get('body')))}
        onSubmit={(event) => {
          event.preventDefault()
          document.title = `sent ${new FormData(event.currentTarget).get('body')}`
        }}
      >
        <TextField
          key={round}
          name="body"
          label="文章"
          errors={refusal ? [refusal] : undefined}
          defaultValue={value}
          onPicture={(put) => put('/pictures/abc-800.jpg', '朝の暖簾')}
        />
        <button type="submit">保存する</button>
      </form>
      <section aria-label="見本">
        <TextView text={text} />
      </section>
      <Announcements />
    </main>
  )
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  <StrictMode>
    <MemoryRouter>
      <Page />
    </MemoryRouter>
  </StrictMode>,
)
