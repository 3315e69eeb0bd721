import type { RequestContext } from '../request.ts'
import type { SiteSettings } from '../settings/site.ts'
import { flattenSettings, unflattenSettings } from '../settings/site-record.server.ts'
import {
  MAX_DIRECTIONS_CHARACTERS,
  MAX_RECIPIENT_NAME,
  recipientKeys,
  recipients,
  siteTexts,
} from '../settings/site-words.ts'
import { type TextFields, textField } from './translation.ts'
import { readTranslator } from './translations.server.ts'

const untranslated = ['seal', 'postalCode', 'telephone', 'mapQuery', 'mapPosition']
const dated = ['hoursInWords', 'priceRange']

/** The translated fields of the flattened settings. */
export const siteTextFields: TextFields = {
  ...Object.fromEntries(
    Object.entries(siteTexts)
      .filter(([name]) => !untranslated.includes(name))
      .map(([name, { label, most }]) => [name, textField(label, most, dated.includes(name) ? { isDated: true } : {})]),
  ),
  ...Object.fromEntries(
    recipientKeys.map((key) => [`recipientNames.${key}`, textField(recipients[key].name, MAX_RECIPIENT_NAME)]),
  ),
  directions: {
    label: '道順',
    most: MAX_DIRECTIONS_CHARACTERS,
    read: (lines: string[]) => lines.join('\n'),
    write: (text: string) => text.split('\n').filter(Boolean),
  },
}

/** Returns the settings with their texts in the language of the page. */
export async function translateSite(context: RequestContext, site: SiteSettings): Promise<SiteSettings> {
  const translate = await readTranslator(context, 'site')
  return unflattenSettings(translate('site', flattenSettings(site), siteTextFields))
}
