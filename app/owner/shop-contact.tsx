import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import type { SiteSettings } from '../settings/site.ts'
import { Telephones } from '../ui/telephones.tsx'

export function ShopContact({ site }: { site: Pick<SiteSettings, 'name' | 'address' | 'telephone'> }) {
  if (!site.telephone && !site.address) return null
  return (
    <p>
      {words(`${t('連絡先：')}${site.name} ${site.address} `)}
      {site.telephone && (
        <span className="unbroken">
          {`${t('電話')} `}
          <Telephones text={site.telephone} />
        </span>
      )}
    </p>
  )
}
