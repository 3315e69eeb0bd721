import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Card, cardSchema } from '../cards/card.ts'
import { cardRecord } from '../cards/card-record.server.ts'
import { addCard, listCards, saveCard } from '../cards/cards.server.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { useSave } from '../forms/use-save.ts'
import { ImageField } from '../media/image-field.tsx'
import { refusalOfAdministration } from '../permissions.ts'
import { type Author, contextOf } from '../request.ts'
import { PaletteField } from '../settings/palette-field.tsx'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { isKeyOf } from '../ui/is-key-of.ts'
import { palettes } from '../ui/palettes.ts'
import type { Route } from './+types/pictures-step-page.ts'
import { untouchedPredicate } from './sample.server.ts'
import { pathAfter, StepForm, stepTitle } from './welcome-step.tsx'

const STEP = 4

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const { facts } = await readSiteToEdit(db)
  const { own } = await findFirstSlides(db)
  return { image: own?.image ?? '', palette: facts.palette }
}

async function findFirstSlides(db: Db) {
  const slides = await listCards(db, 'home', { drafts: true })
  const isUntouched = await untouchedPredicate(db, cardRecord.subject)
  return { first: slides[0], own: slides.find((slide) => !isUntouched(slide)) }
}

export const action = formAction(
  { fields: ['image', 'palette'], refusal: refusalOfAdministration },
  async ({ db, field, author }) => {
    const [image, palette] = [field('image'), field('palette')]
    if (!isKeyOf(palettes, palette)) throw new Rejection({ errors: { palette: ['色をお選びください'] } }, 400)
    await inTransaction(db, async (trx) => {
      const { version, facts } = await readSiteToEdit(trx)
      unwrap(await saveSite(trx, { version, facts: { palette } }, author))
      if (image) await saveFirstSlide(trx, { image, text1: facts.name }, author)
    })
    return { to: pathAfter(STEP) }
  },
)

// Changes the image of the first slide that is not sample content. If there is no such slide, adds a slide before the
// sample slides.
async function saveFirstSlide(db: Db, slide: Pick<Card, 'image' | 'text1'>, author: Author) {
  const { first, own } = await findFirstSlides(db)
  const order = Math.max(0, (first?.order ?? 1) - 1)
  const card = parseValues(
    cardSchema('home', { stored: own }),
    own ? { ...own, image: slide.image } : { ...slide, order },
  )
  if (own) unwrap(await saveCard(db, own, { image: slide.image }, author))
  else await addCard(db, 'home', card, author)
}

export const handle = { title: stepTitle(STEP), cache: 'none' }

export default function PicturesStepPage({ loaderData: { image, palette } }: Route.ComponentProps) {
  const save = useSave()
  return (
    <StepForm save={save} step={STEP}>
      <ImageField
        name="image"
        label="ホームのいちばん初めの写真"
        url={image}
        purpose="screen"
        errors={save.errors?.image}
      />
      <PaletteField values={{ palette }} errors={save.errors} newer={undefined} />
    </StepForm>
  )
}
