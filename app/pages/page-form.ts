import { z } from 'zod'
import { checkbox, textField } from '../forms/form-rules.ts'
import { imageSources } from '../media/image.ts'
import { cleanLine, cleanText, numberFrom } from '../ui/typed-text.ts'
import { canBeHidden, films, type PageSettings, places } from './page.ts'
import { fieldsOf, MAX_ORDER, pageTexts } from './page-words.ts'
import { textSchema } from './text-schema.ts'

const textRule = ({ label, most, kind }: { label: string; most: number; kind?: 'text' }) =>
  textField(label, most, kind === 'text' ? cleanText : cleanLine)

const OUT_OF_RANGE = `順番は0から${MAX_ORDER}までです`
const orderRule = z.preprocess(
  numberFrom,
  z.int('順番は数字で入力してください').min(0, OUT_OF_RANGE).max(MAX_ORDER, OUT_OF_RANGE),
)

export function pageForm(id: string): z.ZodType<Partial<PageSettings>> {
  const texts = Object.fromEntries(Object.entries(pageTexts).map(([name, limits]) => [name, textRule(limits)]))
  const rules: Record<string, z.ZodType> = {
    ...texts,
    ...(id !== 'home' && {
      title: textRule(pageTexts.title).refine((title) => title !== '', 'タイトルを入力してください'),
    }),
    shown: canBeHidden(id) ? checkbox : z.preprocess(() => true, z.boolean()),
    place: z.enum(places, 'リンクの場所を選んでください'),
    order: orderRule,
    text: textSchema,
    film: z.enum(['', ...films], '映像を選び直してください'),
    image: z.string('写真を選び直してください').refine((url) => url === '' || imageSources(url) !== null, {
      error: '写真を選び直してください',
    }),
  }
  return z.object(Object.fromEntries(fieldsOf(id).map((name) => [name, rules[name] as z.ZodType])))
}

export function pageFormValues(facts: PageSettings) {
  const { shown, order, text, ...texts } = facts
  return { ...texts, text: JSON.stringify(text), shown: shown ? 'on' : '', order: String(order) }
}
