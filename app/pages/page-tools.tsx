import { EyeOff, Pencil } from 'lucide'
import { Link } from 'react-router'
import { Icon } from '../ui/icon.tsx'
import type { Page } from './page.ts'
import styles from './page-tools.module.css'

export default function PageTools({ page: { id, shown } }: { page: Page }) {
  return (
    <span className={styles.tools}>
      <Link to={`/pages/${id}/edit`} className={styles.pencil}>
        <Icon of={Pencil} size={15} />
        ページを編集
      </Link>
      {!shown && (
        <span className={styles.hidden}>
          <Icon of={EyeOff} size={15} />
          非公開
        </span>
      )}
    </span>
  )
}
