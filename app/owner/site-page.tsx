import { useState } from 'react'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { recipientEmails } from '../mail/recipients.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { settingsReply } from '../records/settings-record.server.ts'
import { contextOf } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { SiteFields } from '../settings/site-fields.tsx'
import { nestSiteFields, siteForm, siteFormFields, siteFormValues } from '../settings/site-form.ts'
import { type SiteSection, siteSectionNames, siteSections } from '../settings/site-sections.ts'
import { LinkButton } from '../ui/button.tsx'
import { isKeyOf } from '../ui/is-key-of.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/site-page.ts'
import styles from './site-page.module.css'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, mailer, ownerEmail, version: program } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const { version, facts } = await readSiteToEdit(db)
  const values = Object.fromEntries(siteSectionNames.map((section) => [section, siteFormValues(section, facts)]))
  return {
    program,
    version,
    values: values as Record<SiteSection, Record<string, string>>,
    readers: mailer.verifies ? await recipientEmails(db, 'shop', { ...facts, ownerEmail }) : null,
    hasCircle: await isCircleOn(db),
    history: await readHistory(context, { subject: 'site', id: 'site', url }),
  }
}

const UNKNOWN_SECTION = 'この画面の内容が古くなっているようです。再読み込みしてから、もう一度お試しください。'

export const action = formAction(
  {
    fields: ['section', 'version', ...siteSectionNames.flatMap(siteFormFields)],
    intentOf: (field) => field('section'),
    refusal: refusalOfAdministration,
  },
  async ({ db, form, intent: section, seen, author }) => {
    if (!isKeyOf(siteSections, section)) throw new Rejection(UNKNOWN_SECTION, 400)
    const facts = parseValues(siteForm(section), nestSiteFields(Object.fromEntries(form) as Record<string, string>))
    const saved = await saveSite(db, { ...seen, facts }, author)
    return settingsReply(
      saved,
      (facts) => siteFormValues(section, facts),
      (save) => ({ done: '保存しました。前の内容には、下の「変更履歴」から戻せます。', save }),
    )
  },
)

export const handle = { title: 'お店の情報', cache: 'none' }

export default function SitePage({ loaderData }: Route.ComponentProps) {
  const { program, history, ...settings } = loaderData
  /** Number of reverts, used as the React key of the form, so that a revert discards unsaved input. */
  const [revertCount, setRevertCount] = useState(0)
  return (
    <div className={`${page.page} ${styles.page}`}>
      <LiveUpdates topics={['site']} />
      <PageTitle title="お店の情報" english="Shop and site">
        <LinkButton to="/pages">ページ</LinkButton>
        <LinkButton to="/dining">お品書き</LinkButton>
        <LinkButton to="/">ホームを見る</LinkButton>
      </PageTitle>
      <SiteFields key={revertCount} {...settings} isPutBack={revertCount > 0} />
      <HistoryPanel history={history} onPutBack={() => setRevertCount(revertCount + 1)} />
      <p className={styles.program}>{`サイトのプログラムの版：${program}`}</p>
    </div>
  )
}
