import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Card, cardSchema } from '../cards/card.ts'
import { cardRecord } from '../cards/card-record.server.ts'
import { addCard, listCards, saveCard } from '../cards/cards.server.ts'
import { answered, orFailed, refused } from '../forms/answered.server.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { useSave } from '../forms/use-save.ts'
import { ImageField } from '../media/image-field.tsx'
import { PictureGone, receivePicture } from '../media/images.server.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { type Author, authorOf, contextOf } from '../request.ts'
import { PaletteField } from '../settings/palette-field.tsx'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import { isPaletteName } from '../ui/palettes.ts'
import type { Route } from './+types/pictures-step-page.ts'
import { untouchedOf } from './sample.server.ts'
import { after, titleOf } from './steps.ts'
import { StepForm, WelcomeStep } from './welcome-step.tsx'

const STEP = 4

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), chosen: null }
  const { facts } = await readSiteToEdit(db)
  const { own } = await firstSlides(db)
  return { refusal: null, chosen: { image: own?.image ?? '', palette: facts.palette } }
}

async function firstSlides(db: Kysely<Tables>) {
  const slides = await listCards(db, 'home', { drafts: true })
  const isUntouched = await untouchedOf(db, cardRecord.subject)
  return { first: slides[0], own: slides.find((slide) => !isUntouched(slide)) }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => choose(given))
}

async function choose({ request, context }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, ['image', 'palette'], { file: 'imageFile' })
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor))
  const author = authorOf(context)
  const palette = String(form.get('palette') ?? '')
  const refusedPicture = await receivePicture(db, form, { into: 'image', box: 'screen' }, author)
  const image = String(form.get('image') ?? '')
  const answer = (status: number, said: SaveAnswer) =>
    answered(request, { values: { image, palette }, ...said }, status)
  if (refusedPicture) return answer(400, { errors: { image: [refusedPicture] } })
  if (!isPaletteName(palette)) return answer(400, { errors: { palette: ['色をお選びください'] } })
  try {
    const errors = await inTransaction(db, async (trx) => {
      const { version, facts } = await readSiteToEdit(trx)
      await saveSite(trx, { version, facts: { palette } }, author)
      return image ? saveFirstSlide(trx, { image, text1: facts.name }, author) : null
    })
    if (errors) return answer(400, { errors })
  } catch (error) {
    if (error instanceof PictureGone) return answer(400, { errors: { image: [error.message] } })
    throw error
  }
  return answered(request, { to: after(STEP) })
}

// A new slide comes first, because visitors see it first; a slide of the owner's own only changes its image.
async function saveFirstSlide(db: Kysely<Tables>, given: Pick<Card, 'image' | 'text1'>, author: Author) {
  const { first, own } = await firstSlides(db)
  const order = Math.max(0, (first?.order ?? 1) - 1)
  const read = cardSchema('home', { stored: own }).safeParse(own ? { ...own, image: given.image } : { ...given, order })
  if (!read.success) return fieldErrors(read.error.issues)
  if (own) await saveCard(db, own, { image: given.image }, author)
  else await addCard(db, 'home', read.data, author)
  return null
}

export const handle = { title: titleOf(STEP), cache: 'none' }

export default function PicturesStepPage({ loaderData: { refusal, chosen } }: Route.ComponentProps) {
  const save = useSave()
  return (
    <WelcomeStep step={STEP} refusal={refusal}>
      {chosen && (
        <StepForm save={save} step={STEP} encType="multipart/form-data">
          <ImageField
            name="image"
            label="ホームのいちばん初めの写真"
            url={save.answer?.values?.image ?? chosen.image}
            purpose="screen"
            errors={save.errors?.image}
          />
          <PaletteField
            values={{ palette: save.answer?.values?.palette ?? chosen.palette }}
            errors={save.errors}
            newer={undefined}
          />
        </StepForm>
      )}
    </WelcomeStep>
  )
}
