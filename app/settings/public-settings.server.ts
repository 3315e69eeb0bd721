import { formatTelephones } from '../platform/telephone.server.ts'
import { normalize } from '../ui/normalize.ts'
import { PublicSettings, type SiteSettings } from './site.ts'

/**
 * Returns the public settings. Formats the telephone number and the postal code, and removes a postal code from the
 * postal address.
 */
export function publicSettings(all: SiteSettings): PublicSettings {
  const facts = PublicSettings.parse(all)
  // The owner may have pasted the postal code together with the postal address.
  const [pasted = ''] = /^\s*[〒\s]*[\d０-９]{3}\D?[\d０-９]{4}(?![\d０-９])\s*/.exec(facts.address) ?? []
  return {
    ...facts,
    telephone: formatTelephones(facts.telephone),
    postalCode: formatPostalCode(facts.postalCode || pasted),
    address: facts.address.slice(pasted.length),
  }
}

// Ignores symbols around and between the seven digits of a Japanese postal code. Does not change other text.
function formatPostalCode(typed: string) {
  const code = normalize(typed.replace(/\p{DI}/gu, ''), 'NFKC').trim()
  return code.replace(/^\D*(\d{3})\D{0,3}(\d{4})(?:[^\p{L}\p{N}]*$)?(?!\d)/u, '$1-$2').replace(/^〒\s*/, '')
}
