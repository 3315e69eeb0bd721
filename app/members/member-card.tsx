import { useState } from 'react'
import { Form, Link, useNavigation, useSubmit } from 'react-router'
import button from '../ui/button.module.css'
import { Confirm } from '../ui/dialog.tsx'
import type { Deed } from './administration.server.ts'
import { LongText } from './long-text.tsx'
import { memberFieldNames, memberFields } from './member.ts'
import styles from './member-list.module.css'
import type { SeenMember } from './members.server.ts'

/** A member in the list: name and marks, the rest on demand, and for administrators what they may do. */
export function MemberCard({ member, open = false }: { member: SeenMember; open?: boolean }) {
  const { username, accountname, own, managed } = member
  return (
    <article className={styles.card} aria-label={username}>
      <div className={styles.top}>
        <h3>
          {username} <small>{accountname}</small>
        </h3>
        <ul className={styles.marks}>
          {own && <li>ご自身</li>}
          {managed?.administrator && <li className={styles.administrator}>管理者</li>}
          {managed && !managed.hasAccount && <li>アカウントなし</li>}
          {managed && !managed.approved && <li className={styles.awaiting}>承認待ち</li>}
          {managed?.approved && managed.hasAccount && managed.mail === 'none' && <li>承認メール 未送信</li>}
        </ul>
        {managed && !managed.approved && (
          <DeedButton deed="approve" member={member} primary>
            承認する
          </DeedButton>
        )}
      </div>
      <details open={open}>
        <summary>
          くわしく<span className="visually-hidden">（{username} さん）</span>
        </summary>
        <Facts fields={member.fields} />
        {(own || managed) && (
          <div className={styles.deeds}>
            <Link to={`/membercreate/${member.id}`} className={button.button}>
              登録内容を変更する
            </Link>
            {managed && <Management member={member} managed={managed} />}
          </div>
        )}
      </details>
    </article>
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
            <LongText text={fields[name] ?? ''} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Management({ member, managed }: { member: SeenMember; managed: NonNullable<SeenMember['managed']> }) {
  const [asking, setAsking] = useState(false)
  const submit = useSubmit()
  const remove = () => {
    setAsking(false)
    submit({ member: member.id, deed: 'delete' }, { method: 'post', preventScrollReset: true })
  }
  return (
    <>
      {managed.approved && (
        <DeedButton deed="withdraw" member={member}>
          承認を取り消す
        </DeedButton>
      )}
      {managed.administrator ? (
        <DeedButton deed="unmake administrator" member={member}>
          管理者から外す
        </DeedButton>
      ) : (
        managed.hasAccount && (
          <DeedButton deed="make administrator" member={member}>
            管理者にする
          </DeedButton>
        )
      )}
      <button
        type="button"
        className={button.button}
        aria-label={`${member.username} さん：削除する`}
        onClick={() => setAsking(true)}
      >
        削除する
      </button>
      {asking && (
        <Confirm
          sentence={`「${member.username}」を本当に削除しますか？`}
          confirm="削除する"
          onConfirm={remove}
          onCancel={() => setAsking(false)}
        >
          <p>すべての端末からログアウトされます。あとから元に戻せます。</p>
        </Confirm>
      )}
    </>
  )
}

type DeedProps = { deed: Deed; member: { id: string; username: string }; primary?: boolean; children: string }

/** A button that does one thing with one member, and works without scripts. */
export function DeedButton({ deed, member, primary = false, children }: DeedProps) {
  const { formData } = useNavigation()
  const busy = formData?.get('member') === member.id && formData.get('deed') === deed
  const label = busy ? '投稿中…' : children
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="member" value={member.id} />
      <button
        type="submit"
        name="deed"
        value={deed}
        className={primary ? `${button.button} ${button.primary}` : button.button}
        aria-label={children === '元に戻す' ? undefined : `${member.username} さん：${label}`}
        aria-disabled={busy}
        onClick={(event) => busy && event.preventDefault()}
      >
        {label}
      </button>
    </Form>
  )
}
