import { Form, Link, redirect } from 'react-router'
import { formatAllergens } from '../cards/allergens.ts'
import type { Card } from '../cards/card.ts'
import { readCards } from '../cards/cards-of-page.server.ts'
import { formatList } from '../cards/marks.ts'
import { formatYen, pricesOf } from '../cards/price.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { timeInJapan } from '../dates/japan.ts'
import { formatDayWithYear } from '../dates/month.ts'
import { useRevalidationAt } from '../dates/use-revalidation-at.ts'
import { isJapanese, langOf, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { openPage } from '../pages/pages.server.ts'
import { contextOf, readOr } from '../request.ts'
import { isCardShown } from '../sections/shown.ts'
import { logoImageUrl } from '../settings/logo-image.ts'
import { readSite } from '../settings/site.server.ts'
import { MENU_CODE_PATH, qrCode } from '../staff/qr-code.server.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import type { Route } from './+types/print-page.ts'
import styles from './print-page.module.css'

/** The formats of the printed menu, with the name of each paper. */
const formats = {
  a4: { name: '価格表（A4）', paper: 'A4・縦' },
  a5: { name: '価格表（A5）', paper: 'A5・縦' },
  card: { name: '卓上カード（A6）', paper: 'A6・縦' },
  vertical: { name: '縦書きの品書き（A4）', paper: 'A4・横' },
} as const
type Format = keyof typeof formats
const formatNames = Object.keys(formats) as Format[]
type Data = Route.ComponentProps['loaderData']

// Up to this number of dishes, the letters are larger, and the vertical menu has one tier.
const MAX_FEW_DISHES = 16

export const handle = {
  cache: 'minute',
  translations: 'dining',
  parameters: { format: 'key', section: 'key' },
  title: ({ title }: Data) => t('{title}の印刷', { title }),
}

/** An unknown format is the first one. A section that guests do not see is the whole menu. Only Japanese is vertical. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { clock, origin, db } = contextOf(context)
  const { title, empty } = await openPage(context, 'dining')
  const { items, sections, nextChange } = await readCards(context, 'dining')
  const asOf = clock()
  const now = timeInJapan(asOf)
  const shown = items.filter((dish) => isCardShown(dish, sections, now))
  const all = groupBySection(sections, shown).filter(({ cards }) => cards.length > 0)
  const chosen = all.find(({ section }) => section?.id === url.searchParams.get('section'))
  const format = formatNames.find((name) => name === url.searchParams.get('format')) ?? 'a4'
  if (format === 'vertical' && !isJapanese()) {
    url.searchParams.set('format', 'a4')
    throw redirect(`/dining/print${url.search}`)
  }
  const hasLanguages = await readOr(context, false, async () => (await readSite(db)).otherLanguages)
  const menuUrl = `${origin}${hasLanguages ? MENU_CODE_PATH : '/dining'}`
  const printed = format === 'card' ? [] : chosen ? [chosen] : all
  return {
    ...{ title, empty, format, changesAt: nextChange, asOf, section: chosen?.section?.id ?? '' },
    groups: printed.map(({ section, cards }) => ({
      ...{ id: section?.id ?? '', name: section?.name, introduction: section?.introduction },
      dishes: cards.map((dish) => lineOf(dish, format)),
    })),
    choices: all.flatMap(({ section }) => (section ? [{ id: section.id, name: section.name }] : [])),
    day: formatDayWithYear(now.slice(0, 10)),
    ...(format === 'card' && { menu: { url: menuUrl, qr: qrCode(menuUrl) } }),
  }
}

type Line = { id: string; title: string; prices: string[]; notes: string }

function lineOf(dish: Card, format: Format): Line {
  const [space, yenText] = format === 'vertical' ? ['　', formatYenInKanji] : [' ', formatYen]
  const prices = pricesOf(dish.price).map(({ label, yen }) => [t(label), yen !== null && yenText(yen)])
  // The foot of the sheet refers guests to the staff for all other dishes.
  const allergens = (dish.allergens || dish.allergensConfirmed) && formatAllergens(dish)
  return {
    id: dish.id,
    title: dish.title,
    prices: prices.map((parts) => parts.filter(Boolean).join(space)),
    notes: format === 'vertical' ? '' : [formatList(dish.marks), allergens].filter(Boolean).join(t('　')),
  }
}

/** Formats yen for vertical text, like `一、二〇〇円`. */
function formatYenInKanji(yen: number) {
  return formatYen(yen)
    .replace(/\d/g, (digit) => '〇一二三四五六七八九'[Number(digit)] ?? '')
    .replaceAll(',', '、')
}

export default function PrintPage({ loaderData, matches }: Route.ComponentProps) {
  const { title, format, section, choices, menu } = loaderData
  const { site, sealDigest } = matches[0].loaderData
  const shop = { name: site.name, logo: logoImageUrl(sealDigest, 'icon-512.png') }
  const canPrint = useBrowserSupport('print')
  useRevalidationAt(loaderData.changesAt, loaderData.asOf)
  const pathOf = (name: Format) => `?${new URLSearchParams({ format: name, ...(section && { section }) })}`
  return (
    <div className={`${page.page} ${styles.page}`}>
      <LiveUpdates topics={['dining', 'site']} />
      <div className={styles.controls}>
        <PageTitle title={t('{title}の印刷', { title })} />
        <nav aria-label={t('印刷の種類')} className={styles.formats}>
          {formatNames
            .filter((name) => name !== 'vertical' || isJapanese())
            .map((name) => (
              <LinkButton
                key={name}
                to={pathOf(name)}
                primary={name === format}
                aria-current={name === format && 'page'}
              >
                {t(formats[name].name)}
              </LinkButton>
            ))}
        </nav>
        {!menu && choices.length > 0 && (
          <Form className={styles.sections}>
            <input type="hidden" name="format" value={format} />
            <Field label={t('印刷する分類')}>
              {(wiring) => (
                <select {...wiring} key={section} name="section" defaultValue={section}>
                  <option value="">{t('すべて')}</option>
                  {choices.map(({ id, name }) => (
                    <option key={id} value={id} lang={langOf(name)}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Button type="submit">{t('表示する')}</Button>
          </Form>
        )}
        <div className={styles.print}>
          {canPrint ? (
            <Button primary onClick={() => window.print()}>
              {t('印刷する')}
            </Button>
          ) : (
            <p>{t('印刷するには、ブラウザのメニューから「印刷」を選んでください。')}</p>
          )}
          <p>{t('用紙は「{paper}」をお選びください。', { paper: t(formats[format].paper) })}</p>
          <Link to="/dining">{words(t('{title}へ戻る', { title }))}</Link>
        </div>
      </div>
      {menu ? <TableCard shop={shop} {...menu} /> : <MenuSheet shop={shop} {...loaderData} />}
    </div>
  )
}

type Shop = { shop: { name: string; logo: string } }

function TableCard({ shop, url, qr }: Shop & NonNullable<Data['menu']>) {
  return (
    <article className={`${styles.sheet} ${styles.card}`}>
      <img src={shop.logo} alt="" width={512} height={512} />
      <h2>{words(shop.name)}</h2>
      <p className={styles.name}>{t('お品書き')}</p>
      <svg viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label={t('お品書きのQRコード')}>
        <path d={qr.path} shapeRendering="crispEdges" />
      </svg>
      <p>{t('スマートフォンで読み取ると、お品書きをご覧いただけます。')}</p>
      <p className={styles.url}>{url}</p>
    </article>
  )
}

function MenuSheet({ shop, format, groups, empty, day }: Shop & Data) {
  const dishes = groups.flatMap((group) => group.dishes)
  const isVertical = format === 'vertical'
  const classNames = [styles.sheet, styles[format], !isVertical && styles.list]
  if (dishes.length <= MAX_FEW_DISHES) classNames.push(styles.few)
  return (
    <article className={classNames.filter(Boolean).join(' ')} data-mincho={isVertical || undefined}>
      <div className={styles.lines}>
        <header className={styles.head}>
          <img src={shop.logo} alt="" width={512} height={512} />
          <h2>{words(shop.name)}</h2>
          <p className={styles.name}>{t('お品書き')}</p>
        </header>
        {dishes.length === 0 && <p>{words(empty)}</p>}
        <div className={styles.groups}>
          {groups.map(({ id, name, introduction, dishes: [first, ...others] }) => (
            <section key={id}>
              {/* No browser breaks a page or a column inside this element, so that the heading stays with a dish. */}
              <div className={styles.start}>
                {name && (
                  <div className={styles.heading}>
                    <h3>{words(name)}</h3>
                    {introduction && <p>{words(introduction)}</p>}
                  </div>
                )}
                {first && <Dish {...first} />}
              </div>
              {others.map((dish) => (
                <Dish key={dish.id} {...dish} />
              ))}
            </section>
          ))}
        </div>
      </div>
      <footer className={styles.foot}>
        {dishes.some(({ prices }) => prices.some((price) => /円$|¥/.test(price))) && <p>{t('表示価格は税込です。')}</p>}
        {dishes.length > 0 && (
          <p>
            {t(
              isVertical
                ? 'アレルギーについては、スタッフにお尋ねください。'
                : 'アレルギーの記載がないものについては、スタッフにお尋ねください。',
            )}
          </p>
        )}
        <p>{t('{day}現在', { day })}</p>
      </footer>
    </article>
  )
}

function Dish({ title, prices, notes }: Line) {
  return (
    <div className={styles.dish}>
      <p className={styles.line}>
        <span>{isJapanese() ? uprightNumbers(title) : words(title)}</span>
        {prices.length > 0 && (
          <span className={styles.prices}>
            {prices.map((price) => (
              <span key={price}>{words(price)}</span>
            ))}
          </span>
        )}
      </p>
      {notes && <p className={styles.notes}>{notes}</p>}
    </div>
  )
}

// Vertical text would rotate the digits of a number. CSS applies the class to vertical text only.
function uprightNumbers(text: string) {
  return text.split(/(?<![\dA-Za-z.,])(\d{1,2})(?![\dA-Za-z.,])/).map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className={styles.upright}>
        {part}
      </span>
    ) : (
      part
    ),
  )
}
