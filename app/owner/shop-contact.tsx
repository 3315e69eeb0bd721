import type { SiteSettings } from '../settings/site.ts'
import { Telephones } from '../ui/telephones.tsx'

export function ShopContact({ site }: { site: Pick<SiteSettings, 'name' | 'address' | 'telephone'> }) {
  if (!site.telephone && !site.address) return null
  return (
    <p>
      {`連絡先：${site.name} ${site.address} `}
      {site.telephone && (
        <span className="unbroken">
          {'電話 '}
          <Telephones text={site.telephone} />
        </span>
      )}
    </p>
  )
}
