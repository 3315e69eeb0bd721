import { useState } from 'react'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Leaving, useLeaving } from '../forms/use-leaving.ts'
import { whenInWords } from '../records/history.ts'
import { Button, instead } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import page from '../ui/page.module.css'
import styles from './staff.module.css'
import type { listAccountsWithoutRole } from './staff.server.ts'
import { removingAs } from './staff-words.ts'

type Account = Awaited<ReturnType<typeof listAccountsWithoutRole>>[number]

/** Whether the save belongs to a removed item. Without JavaScript, each form of the page gets every response. */
export function isGone({ of, save }: Leaving, kind: string) {
  return of === null && (save.answer?.intent?.startsWith(kind) ?? !save.cameWithPage)
}

export function AccountsWithoutRole({ accounts }: { accounts: Account[] }) {
  const removing = useLeaving(accounts.map(({ id }) => removingAs(id)))
  if (accounts.length === 0 && !removing.save.answer) return null
  return (
    <section className={page.section}>
      <h2>役割のないアカウント</h2>
      <p>ログインはできますが、お店のことは何も変えられません。お心当たりのないものは、削除できます。</p>
      {isGone(removing, removingAs('')) && <Outcome save={removing.save} />}
      <ul className={styles.people}>
        {accounts.map((account) => (
          <AccountWithoutRole key={account.id} account={account} removing={removing} />
        ))}
      </ul>
    </section>
  )
}

function AccountWithoutRole({ account, removing }: { account: Account; removing: Leaving }) {
  const { id, version, name, email, createdAt } = account
  const [asking, setAsking] = useState(false)
  const { save, press, of } = removing
  const intent = removingAs(id)
  return (
    <li>
      <h3 data-mincho>{name || email}</h3>
      <p className={styles.facts}>
        <span>{`${email}・`}</span>
        <time dateTime={createdAt}>{whenInWords(createdAt)}</time>から
      </p>
      <div className={styles.deeds}>
        <SaveForm save={save}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="version" value={version} />
          <Button
            type="submit"
            name="intent"
            value={intent}
            aria-disabled={save.busy}
            aria-label={`${name || email} さん：アカウントを削除する`}
            onClick={instead(() => setAsking(true))}
          >
            アカウントを削除する
          </Button>
        </SaveForm>
      </div>
      {of === intent && <Outcome save={save} />}
      {asking && (
        <Confirm
          sentence={`${name || email} さんのアカウントを削除しますか？`}
          onConfirm={() => {
            setAsking(false)
            press(intent)
            save.send({ intent, id, version: String(version) })
          }}
          onCancel={() => setAsking(false)}
        >
          <p>この方は、すべての端末でログアウトになり、ログインできなくなります。あとから元に戻せます。</p>
        </Confirm>
      )}
    </li>
  )
}
