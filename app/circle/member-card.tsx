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
import disclosure from '../ui/disclosure.module.css'
import { Telephones } from '../ui/telephones.tsx'
import styles from './member-list.module.css'

export const memberIntent = (id: string) => `member ${id}`

type CardProps = {
  member: SeenMember
  /** The save function for actions that remove the member from the list. */
  listSave: ListSave
  open?: boolean
  awaitingOnly?: boolean
}

export function MemberCard({ member, listSave, open = false, awaitingOnly = false }: CardProps) {
  const { username, accountname, own, managed } = member
  const save = useSave({ intents: [] })
  const [isOutcomeAtTop, setIsOutcomeAtTop] = useState(true)
  const outcomes = (
    <>
      <Outcome save={save} />
      {listSave.of === memberIntent(member.id) && <Outcome save={listSave.save} />}
    </>
  )
  return (
    <article className={styles.card} aria-label={username}>
      <div className={styles.top}>
        <h3>
          <span>{username}</span> <small>{accountname}</small>
        </h3>
        <MemberBadges {...member} />
        {managed && !managed.approved && (
          <MemberActionButton
            save={awaitingOnly ? listSave.save : save}
            action="approve"
            member={member}
            primary
            onPress={() => {
              setIsOutcomeAtTop(true)
              if (awaitingOnly) listSave.press(memberIntent(member.id))
            }}
          >
            承認する
          </MemberActionButton>
        )}
      </div>
      {isOutcomeAtTop && outcomes}
      <details className={disclosure.disclosure} open={open}>
        <summary>
          詳しく見る<span className="visually-hidden">{`（${username} さん）`}</span>
        </summary>
        <MemberFields fields={member.fields} />
        {(own || managed) && (
          <div className={styles.deeds}>
            <LinkButton to={`/membercreate/${member.id}`}>登録内容を変更する</LinkButton>
            {member.mayRest && (
              <MemberActionButton
                action={member.resting ? 'resume' : 'rest'}
                {...{ member, save }}
                onPress={() => setIsOutcomeAtTop(false)}
              >
                {member.resting ? '復帰する' : '休会する'}
              </MemberActionButton>
            )}
            {managed && (
              <Management {...{ member, managed, save, listSave }} onPress={() => setIsOutcomeAtTop(false)} />
            )}
          </div>
        )}
        {!isOutcomeAtTop && outcomes}
      </details>
    </article>
  )
}

function MemberBadges({ own, resting, managed }: SeenMember) {
  return (
    <ul className={styles.marks}>
      {own && <li>ご自身</li>}
      {resting && <li>休会中</li>}
      {managed?.administrator && <li className={styles.administrator}>管理者</li>}
      {managed && !managed.hasAccount && <li>アカウントなし</li>}
      {managed && !managed.approved && <li className={styles.awaiting}>承認待ち</li>}
      {managed?.untold && <li>承認メール 未送信</li>}
    </ul>
  )
}

function MemberFields({ fields }: Pick<SeenMember, 'fields'>) {
  const shownNames = memberFieldNames.filter((name) => fields[name] && name !== 'username' && name !== 'accountname')
  return (
    <dl className={styles.facts}>
      {shownNames.map((name) => (
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
  listSave: ListSave
  onPress: () => void
}

function Management({ member, managed, save, listSave, onPress }: ManagementProps) {
  const [isConfirming, setIsConfirming] = useState(false)
  const remove = () => {
    setIsConfirming(false)
    onPress()
    listSave.press(memberIntent(member.id))
    if (!listSave.save.busy) listSave.save.send({ member: member.id, deed: 'delete' })
  }
  const commonProps = { save, member, onPress }
  return (
    <>
      {managed.approved && (
        <MemberActionButton action="withdraw" {...commonProps}>
          承認を取り消す
        </MemberActionButton>
      )}
      {(managed.administrator || managed.hasAccount) && (
        <MemberActionButton
          action={managed.administrator ? 'unmake administrator' : 'make administrator'}
          {...commonProps}
        >
          {managed.administrator ? '管理者から外す' : '管理者にする'}
        </MemberActionButton>
      )}
      <Button
        aria-label={`${member.username} さん：削除する`}
        aria-disabled={listSave.save.busy}
        onClick={() => setIsConfirming(true)}
      >
        削除する
      </Button>
      {isConfirming && (
        <Confirm
          sentence={`${member.username} さんを本当に削除しますか？`}
          onConfirm={remove}
          onCancel={() => setIsConfirming(false)}
        >
          <p>この方は、すべての端末でログアウトになります。この操作は、あとから元に戻せます。</p>
        </Confirm>
      )}
    </>
  )
}

type MemberActionProps = {
  save: Saving
  action: MemberAction
  member: { id: string; username: string }
  primary?: boolean
  onPress?: () => void
  children: string
}

export function MemberActionButton({ save, action, member, primary = false, onPress, children }: MemberActionProps) {
  const { formData } = save.fetcher
  const isPressed = save.busy && formData?.get('member') === member.id && formData.get('deed') === action
  const label = isPressed ? '投稿中…' : children
  return (
    <SaveForm save={save} hiddenFields={{ member: member.id }}>
      <Button
        type="submit"
        name="deed"
        value={action}
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
