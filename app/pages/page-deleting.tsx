import { Trash2 } from 'lucide'
import { useState } from 'react'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'

export function DeletePage({ name, version }: { name: string; version: number }) {
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
        このページを削除する
      </Button>
      <Outcome save={save} />
      {isConfirming && (
        <Confirm
          sentence={`「${name}」を本当に削除しますか？`}
          onConfirm={remove}
          onCancel={() => setConfirming(false)}
        />
      )}
    </>
  )
}
