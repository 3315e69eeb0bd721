import { useState } from 'react'
import { Outcome } from '../forms/save-form.tsx'
import { type ListSave, useListSave } from '../forms/use-list-save.ts'
import { formatInstant } from '../records/history.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import page from '../ui/page.module.css'
import styles from './staff.module.css'
import type { listAccountsWithoutRole } from './staff.server.ts'
import { removeAccountIntent } from './staff.ts'

type Account = Awaited<ReturnType<typeof listAccountsWithoutRole>>[number]

export function AccountsWithoutRole({ accounts }: { accounts: Account[] }) {
  const accountRemoval = useListSave(accounts.map(({ id }) => removeAccountIntent(id)))
  if (accounts.length === 0 && !accountRemoval.save.answer) return null
  return (
    <section className={page.section}>
      <h2>権限のないアカウント</h2>
      <p>ログインはできますが、お店の内容は編集できません。お心当たりのないものは、削除できます。</p>
      {accountRemoval.of === null && <Outcome save={accountRemoval.save} />}
      <ul className={styles.people}>
        {accounts.map((account) => (
          <AccountWithoutRole key={account.id} account={account} accountRemoval={accountRemoval} />
        ))}
      </ul>
    </section>
  )
}

function AccountWithoutRole({ account, accountRemoval }: { account: Account; accountRemoval: ListSave }) {
  const { id, version, name, email, createdAt } = account
  const [isConfirming, setIsConfirming] = useState(false)
  const { save, press, of } = accountRemoval
  const intent = removeAccountIntent(id)
  return (
    <li>
      <h3 data-mincho>{name || email}</h3>
      <p className={styles.facts}>
        <span>{`${email}・`}</span>
        <time dateTime={createdAt}>{formatInstant(createdAt)}</time>から
      </p>
      <div className={styles.deeds}>
        <Button
          aria-disabled={save.busy}
          aria-label={`${name || email} さん：アカウントを削除する`}
          onClick={() => setIsConfirming(true)}
        >
          アカウントを削除する
        </Button>
      </div>
      {of === intent && <Outcome save={save} />}
      {isConfirming && (
        <Confirm
          sentence={`${name || email} さんのアカウントを削除しますか？`}
          onConfirm={() => {
            setIsConfirming(false)
            press(intent)
            save.send({ intent, id, version: String(version) })
          }}
          onCancel={() => setIsConfirming(false)}
        >
          <p>この方は、すべての端末でログアウトになり、ログインできなくなります。この操作は、あとから元に戻せます。</p>
        </Confirm>
      )}
    </li>
  )
}
