import { Trash2 } from 'lucide'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Outcome } from './save-form.tsx'
import { useSave } from './use-save.ts'

type Props = { label: string; name: string; version: number; children?: ReactNode }

/** Button that deletes the record of the page after a confirmation, whose further text is `children`. */
export function DeleteRecord({ label, name, version, children }: Props) {
  const save = useSave({ intents: ['delete'] })
  const [isConfirming, setConfirming] = useState(false)
  const remove = () => {
    setConfirming(false)
    save.send({ intent: 'delete', version: String(version) })
  }
  return (
    <>
      <Button onClick={() => setConfirming(true)}>
        <Icon of={Trash2} size={17} />
        {label}
      </Button>
      <Outcome save={save} />
      {isConfirming && (
        <Confirm
          sentence={`「${name}」を本当に削除しますか？`}
          onConfirm={remove}
          onCancel={() => setConfirming(false)}
        >
          {children}
        </Confirm>
      )}
    </>
  )
}
