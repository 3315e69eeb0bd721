import { useNavigate } from 'react-router'
import type { ContentAnswer } from '../content/content-answer.ts'
import { ContentForm } from '../content/content-form.tsx'
import type { ContentItem } from '../content/content-item.ts'
import { Dialog } from '../ui/dialog.tsx'

type Props = {
  /** The dish that is edited; null adds one. */
  item: ContentItem | null
  blank: Partial<ContentItem>
  mayEdit: boolean
  refusal: string
  firstKey: string
  answer: ContentAnswer | undefined
}

/** The form of a dish in the page of dishes: it closes with the address that opened it. */
export default function DishSheet({ item, answer, ...start }: Props) {
  const navigate = useNavigate()
  const close = () => navigate('/dining', { preventScrollReset: true })
  return (
    <Dialog title={item ? 'お料理の編集' : 'お料理の追加'} onClose={close} sheet>
      <ContentForm
        {...start}
        key={item?.id}
        collection="dining"
        item={item}
        answer={answer}
        action={item ? `/dining?edit=${item.id}` : '/dining?add'}
        onClose={close}
        preview={false}
      />
    </Dialog>
  )
}
