import styles from '../accounts/accounts.module.css'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import button from '../ui/button.module.css'
import page from '../ui/page.module.css'

type Device = { id: string; name: string; ipAddress: string | null; usedAt: string; here: boolean }

export function Devices({ devices }: { devices: Device[] }) {
  const save = useSave({ intents: ['device', 'other devices'] })
  return (
    <section className={page.section}>
      <h2>ログインしている端末</h2>
      <ul className={styles.devices}>
        {devices.map(({ id, name, ipAddress, usedAt, here }) => (
          <li key={id}>
            <span>
              {`${name}${here ? '（この端末）' : ''}`}
              <br />
              <span className={styles.small}>{`${usedAt} ${ipAddress}`}</span>
            </span>
            {!here && (
              <SaveForm save={save}>
                <input type="hidden" name="device" value={id} />
                <button type="submit" name="intent" value="device" className={button.button} aria-disabled={save.busy}>
                  <span className="visually-hidden">{`${name}（${usedAt}）を`}</span>
                  ログアウトさせる
                </button>
              </SaveForm>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <SaveForm save={save}>
          <button type="submit" name="intent" value="other devices" className={button.button} aria-disabled={save.busy}>
            ほかの端末をすべてログアウトさせる
          </button>
        </SaveForm>
      )}
      <Outcome save={save} />
    </section>
  )
}
