import { useState } from 'react'
import { Link } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { ListSave } from '../forms/use-list-save.ts'
import { useSave } from '../forms/use-save.ts'
import { formatInstant } from '../records/history.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import styles from './staff.module.css'
import type { listStaff } from './staff.server.ts'
import { endStaffIntent, giveRoleIntent, type Role, roles } from './staff.ts'

type Props = { person: Awaited<ReturnType<typeof listStaff>>[number]; staffRemoval: ListSave }

export function StaffPerson({ person, staffRemoval }: Props) {
  const { id, version, name, role, email, own, createdAt } = person
  const [isConfirming, setIsConfirming] = useState(false)
  const save = useSave({ intents: [giveRoleIntent(id)] })
  const otherRole: Role = role === 'editing' ? 'administration' : 'editing'
  const endRole = () => {
    setIsConfirming(false)
    staffRemoval.press(endStaffIntent(id))
    staffRemoval.save.send({ intent: endStaffIntent(id), id, version: String(version) })
  }
  return (
    <li>
      <h2 data-mincho>{name}</h2>
      <ul className={styles.marks}>
        <li>{roles[role].label}</li>
        {own && <li>ご自身</li>}
      </ul>
      <p className={styles.facts}>
        <span>{`${email}・`}</span>
        <time dateTime={createdAt}>{formatInstant(createdAt)}</time>から
      </p>
      <div className={styles.deeds}>
        <Link to={`/staff/${id}`}>変更履歴を見る</Link>
        <SaveForm save={save} hiddenFields={{ id, version, intent: giveRoleIntent(id) }}>
          <Button
            type="submit"
            name="role"
            value={otherRole}
            aria-disabled={save.busy}
            aria-label={`${name} さん：${roleButtonLabels[otherRole]}`}
          >
            {roleButtonLabels[otherRole]}
          </Button>
        </SaveForm>
        <Button
          aria-disabled={staffRemoval.save.busy}
          aria-label={`${name} さん：スタッフから外す`}
          onClick={() => setIsConfirming(true)}
        >
          スタッフから外す
        </Button>
      </div>
      <Outcome save={save} />
      {staffRemoval.of === endStaffIntent(id) && <Outcome save={staffRemoval.save} />}
      {isConfirming && (
        <Confirm
          sentence={`${name} さんをスタッフから外しますか？`}
          confirm="外す"
          onConfirm={endRole}
          onCancel={() => setIsConfirming(false)}
        >
          <p>この方は、すべての端末でログアウトになります。この操作は、あとから元に戻せます。</p>
        </Confirm>
      )}
    </li>
  )
}

const roleButtonLabels: Record<Role, string> = { administration: '管理もできるようにする', editing: '編集だけにする' }
