import { useState } from 'react'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { ListSave } from '../forms/use-list-save.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import type { MemberAction } from '../members/administration.server.ts'
import { LongText } from '../members/long-text.tsx'
import { memberFieldNames, memberFields } from '../members/member.ts'
import type { SeenMember } from '../members/members.server.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Telephones } from '../ui/telephones.tsx'
import styles from './member-list.module.css'

/** Returns the form intent of the actions on a member. */
export const leavingAs = (id: string) => `member ${id}`

type CardProps = {
  member: SeenMember
  /** The save of the actions that remove a member from the list. */
  leaving: ListSave
  open?: boolean
  awaitingOnly?: boolean
}

export function MemberCard({ member, leaving, open = false, awaitingOnly = false }: CardProps) {
  const { username, accountname, own, managed } = member
  const save = useSave({ intents: [] })
  const [atTop, setAtTop] = useState(true)
  const outcomes = (
    <>
      <Outcome save={save} />
      {leaving.of === leavingAs(member.id) && <Outcome save={leaving.save} />}
    </>
  )
  return (
    <article className={styles.card} aria-label={username}>
      <div className={styles.top}>
        <h3>
          <span>{username}</span> <small>{accountname}</small>
        </h3>
        <Marks {...member} />
        {managed && !managed.approved && (
          <DeedButton
            save={awaitingOnly ? leaving.save : save}
            deed="approve"
            member={member}
            primary
            onPress={() => {
              setAtTop(true)
              if (awaitingOnly) leaving.press(leavingAs(member.id))
            }}
          >
            承認する
          </DeedButton>
        )}
      </div>
      {atTop && outcomes}
      <details open={open}>
        <summary>
          詳しく見る<span className="visually-hidden">{`（${username} さん）`}</span>
        </summary>
        <Facts fields={member.fields} />
        {(own || managed) && (
          <div className={styles.deeds}>
            <LinkButton to={`/membercreate/${member.id}`}>登録内容を変更する</LinkButton>
            {managed && <Management {...{ member, managed, save, leaving }} onPress={() => setAtTop(false)} />}
          </div>
        )}
        {!atTop && outcomes}
      </details>
    </article>
  )
}

function Marks({ own, managed }: SeenMember) {
  return (
    <ul className={styles.marks}>
      {own && <li>ご自身</li>}
      {managed?.administrator && <li className={styles.administrator}>管理者</li>}
      {managed && !managed.hasAccount && <li>アカウントなし</li>}
      {managed && !managed.approved && <li className={styles.awaiting}>承認待ち</li>}
      {managed?.untold && <li>承認メール 未送信</li>}
    </ul>
  )
}

function Facts({ fields }: Pick<SeenMember, 'fields'>) {
  const shown = memberFieldNames.filter((name) => fields[name] && name !== 'username' && name !== 'accountname')
  return (
    <dl className={styles.facts}>
      {shown.map((name) => (
        <div key={name}>
          <dt>{memberFields[name].label}</dt>
          <dd>
            {name === 'telNum' ? <Telephones text={fields.telNum ?? ''} /> : <LongText text={fields[name] ?? ''} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type ManagementProps = {
  member: SeenMember
  managed: NonNullable<SeenMember['managed']>
  save: Saving
  leaving: ListSave
  onPress: () => void
}

function Management({ member, managed, save, leaving, onPress }: ManagementProps) {
  const [asking, setAsking] = useState(false)
  const remove = () => {
    setAsking(false)
    onPress()
    leaving.press(leavingAs(member.id))
    if (!leaving.save.busy) leaving.save.send({ member: member.id, deed: 'delete' })
  }
  const common = { save, member, onPress }
  return (
    <>
      {managed.approved && (
        <DeedButton deed="withdraw" {...common}>
          承認を取り消す
        </DeedButton>
      )}
      {(managed.administrator || managed.hasAccount) && (
        <DeedButton deed={managed.administrator ? 'unmake administrator' : 'make administrator'} {...common}>
          {managed.administrator ? '管理者から外す' : '管理者にする'}
        </DeedButton>
      )}
      <Button
        aria-label={`${member.username} さん：削除する`}
        aria-disabled={leaving.save.busy}
        onClick={() => setAsking(true)}
      >
        削除する
      </Button>
      {asking && (
        <Confirm
          sentence={`${member.username} さんを本当に削除しますか？`}
          onConfirm={remove}
          onCancel={() => setAsking(false)}
        >
          <p>この方は、すべての端末でログアウトになります。この操作は、あとから元に戻せます。</p>
        </Confirm>
      )}
    </>
  )
}

type DeedProps = {
  save: Saving
  deed: MemberAction
  member: { id: string; username: string }
  primary?: boolean
  onPress?: () => void
  children: string
}

/** A form with one button for an action on a member. */
export function DeedButton({ save, deed, member, primary = false, onPress, children }: DeedProps) {
  const { formData } = save.fetcher
  const pressed = save.busy && formData?.get('member') === member.id && formData.get('deed') === deed
  const label = pressed ? '投稿中…' : children
  return (
    <SaveForm save={save}>
      <input type="hidden" name="member" value={member.id} />
      <Button
        type="submit"
        name="deed"
        value={deed}
        primary={primary}
        aria-label={`${member.username} さん：${label}`}
        aria-disabled={save.busy}
        onClick={onPress}
      >
        {label}
      </Button>
    </SaveForm>
  )
}
