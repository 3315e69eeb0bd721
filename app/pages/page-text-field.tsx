import { useRef } from 'react'
import { NewerValue, type SettingsState } from '../forms/settings-form.tsx'
import { CropDialog, useChosenImage } from '../media/choose-image.tsx'
import { plainTextOf } from './plain-text.ts'
import TextField from './text-field.tsx'
import { textToEdit } from './text-schema.ts'

type InsertImage = (url: string, alt: string) => void

export default function PageTextField({ values, errors, newer }: SettingsState) {
  const file = useRef<HTMLInputElement>(null)
  const insertImage = useRef<InsertImage>(null)
  const { chosen, trouble, choose, close } = useChosenImage()
  return (
    <>
      <TextField
        name="text"
        label="本文"
        errors={trouble ? [trouble] : errors?.text}
        defaultValue={values.text ?? ''}
        onPicture={(insert) => {
          insertImage.current = insert
          file.current?.click()
        }}
      />
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        onChange={(event) => {
          choose(event.target.files?.[0])
          // The input is cleared, so that the user can choose the same file again.
          event.target.value = ''
        }}
      />
      {chosen && (
        <CropDialog
          image={chosen}
          purpose="map"
          onClose={close}
          onStored={(url) => {
            close()
            insertImage.current?.(url, '')
          }}
        />
      )}
      <NewerValue name="text" newer={newer} now={(now) => plainTextOf(textToEdit(now.text ?? ''))} />
    </>
  )
}
