import { type TextFields, textField } from '../translations/translation.ts'

export const sectionTextFields: TextFields = {
  name: textField('分類の名前'),
  introduction: textField('紹介文'),
}
