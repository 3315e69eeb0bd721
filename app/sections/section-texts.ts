import { type TextFields, textField } from '../translations/translation.ts'
import { MAX_INTRODUCTION, MAX_NAME } from './section.ts'

export const sectionTextFields: TextFields = {
  name: textField('分類の名前', MAX_NAME),
  introduction: textField('紹介文', MAX_INTRODUCTION),
}
