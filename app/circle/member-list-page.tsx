import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { SignOutButton } from '../accounts/sign-out-button.tsx'
import { ComingEvents } from '../calendar/event-rsvps.tsx'
import { listEventsWithRsvps } from '../calendar/events.server.ts'
import { readMemberFeed, renewMemberFeed } from '../calendar/member-feeds.server.ts'
import { rsvpIntent } from '../calendar/rsvp.ts'
import { rsvpFields, saveRsvpForm } from '../calendar/rsvp-form.server.ts'
import { readParticipations } from '../calendar/rsvps.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { formAction } from '../forms/form-action.server.ts'
import { denied, Rejection, unwrap } from '../forms/outcome.ts'
import { Outcome } from '../forms/save-form.tsx'
import { undoOf } from '../forms/save-result.ts'
import { type ListSave, useListSave } from '../forms/use-list-save.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import {
  hasApprovedAnyone,
  isMemberAction,
  type MemberAction,
  manageMember,
  refusalOfMemberAction,
} from '../members/administration.server.ts'
import { sentences } from '../members/member.ts'
import { memberNoticesOf } from '../members/member-notices.server.ts'
import { listDeletedMembers, listMembers, type SeenMember } from '../members/members.server.ts'
import { RestingNotice } from '../members/resting-notice.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage } from '../pages/pages.server.ts'
import {
  isResting,
  mayManageMembers,
  mayOrganiseEvents,
  maySubscribeToOwnFeed,
  seesMembers,
  type Visitor,
} from '../permissions.ts'
import { contextOf, readOr } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import button from '../ui/button.module.css'
import { LinkButton } from '../ui/button.tsx'
import { Alert } from '../ui/dialog.tsx'
import disclosure from '../ui/disclosure.module.css'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import type { Route } from './+types/member-list-page.ts'
import { MemberActionButton, MemberCard, memberIntent } from './member-card.tsx'
import styles from './member-list.module.css'
import { MemberList } from './member-list.tsx'
import { FEED_INTENT, type FeedResult, OwnFeed } from './own-feed.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = await openPage(context, 'memberlist')
  const { db, visitor, origin, clock, readVerifiedEmails } = contextOf(context)
  const search = (url.searchParams.get('q') ?? '').slice(0, 100)
  const requestedPage = Math.trunc(Number(url.searchParams.get('page') ?? 1)) || 1
  const awaitingOnly = url.searchParams.has('awaiting')
  const listOptions = { search, awaitingOnly, page: requestedPage, readVerifiedEmails }
  const emptyList = { members: [], count: 0, awaiting: 0, page: 1, pages: 1 }
  const list = await readOr(context, emptyList, () => listMembers(db, visitor, listOptions), {
    saying: 'Error fetching members data',
  })
  const asOf = clock()
  const events = seesMembers(visitor)
    ? await readOr(context, [], () => listEventsWithRsvps(db, dayInJapan(asOf), visitor))
    : []
  const participations = await readOr(context, [], () => readParticipations(db, visitor, events))
  const feed = await readOr(context, null, () => readMemberFeed(db, visitor))
  const deleted = await readOr(context, [], () => listDeletedMembers(db, visitor))
  const opensEditing =
    mayManageMembers(visitor) &&
    (await readOr(context, false, async () => {
      const site = await readSite(db)
      return !site.dishesAndCalendarByStaffOnly && !(await hasApprovedAnyone(db))
    }))
  return {
    about,
    visitor,
    ...list,
    events,
    participations,
    asOf,
    search,
    awaitingOnly,
    deleted,
    opensEditing,
    feed: feed && `${origin}${feed}`,
    done: url.searchParams.get('done'),
  }
}

export const action = formAction<FeedResult>(
  {
    fields: ['deed', 'member', ...rsvpFields],
    intentOf: (field) =>
      field('event')
        ? rsvpIntent(field('event'))
        : field('deed') === FEED_INTENT
          ? FEED_INTENT
          : memberIntent(field('member')),
  },
  async (submission) => {
    const { context, db, visitor, origin, mailer, field, author } = submission
    await openPage(context, 'memberlist')
    if (field('event')) return saveRsvpForm(submission)
    if (field('deed') === FEED_INTENT) {
      if (!visitor?.member || !maySubscribeToOwnFeed(visitor)) throw denied(visitor, FEED_DENIED)
      const hadFeed = (await readMemberFeed(db, visitor)) !== null
      await renewMemberFeed(db, visitor.member.id, author.at)
      const done = hadFeed ? '新しいアドレスにしました。前のアドレスは使えません。' : 'アドレスを作りました。'
      return { done, newUrl: `${origin}${await readMemberFeed(db, visitor)}` }
    }
    const memberAction = field('deed')
    const refusal = refusalOfMemberAction(visitor, field('member'), memberAction)
    if (refusal) throw denied(visitor, refusal)
    if (!isMemberAction(memberAction)) throw new Rejection('操作を選び直してください。', 400)
    const result = await manageMember(db, visitor, field('member'), memberAction, {
      at: author.at,
      around: memberNoticesOf(context),
    })
    const { username, mail, save } = unwrap(result, { missing: sentences.gone })
    const mailStatus = mail === 'sent' && !mailer.verifies ? 'not set up' : mail
    const done = `${username} さん${doneSentences[memberAction]}${mailStatus ? mailSentences[mailStatus] : ''}`
    return { done, ...(save && { undo: undoOfAction(field('member'), memberAction, save) }) }
  },
)

// Members may not undo saves of their record, but they may rest and come back.
function undoOfAction(member: string, action: MemberAction, save: string) {
  const opposite = { rest: 'resume', resume: 'rest' }[action as string]
  return opposite ? { action: '/memberlist', fields: { member, deed: opposite } } : undoOf(save)
}
const FEED_DENIED = 'カレンダーのアドレスは、承認されたメンバーだけが作れます。'

const doneSentences: Record<MemberAction, string> = {
  approve: 'を承認しました。',
  withdraw: 'の承認を取り消しました。',
  'make administrator': 'を管理者にしました。',
  'unmake administrator': 'を管理者から外しました。',
  rest: 'は休会中になりました。',
  resume: 'が復帰しました。',
  delete: 'を削除しました。',
  restore: 'を元に戻しました。',
}
const mailSentences = {
  sent: '通知メール：お送りします。',
  'not set up': '通知メール：未送信（メールを送る設定がありません）。',
  unsent: '通知メール：未送信（確認済みのメールアドレスがありません）。',
}

export const handle = { unlisted: true, cache: 'none' }

export default function MemberListPage({ loaderData }: Route.ComponentProps) {
  const { visitor, members, deleted } = loaderData
  const organises = mayOrganiseEvents(visitor)
  const own = members.find((member) => member.own)
  const listSave = useListSave([...members, ...deleted].map(({ id }) => memberIntent(id)))
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageHead page={loaderData.about} />
      <LiveUpdates topics={['members', 'events', 'answers']} />
      {listSave.of === null && <Outcome save={listSave.save} />}
      <FirstMemberNotice visitor={visitor} done={loaderData.done} />
      {!seesMembers(visitor) && <NonMemberView visitor={visitor} own={own} listSave={listSave} />}
      {seesMembers(visitor) && (
        <>
          {isResting(visitor) && <RestingNotice memberId={visitor?.member?.id ?? ''} />}
          <ComingEvents {...loaderData} organises={organises} />
          {loaderData.opensEditing && loaderData.awaiting > 0 && (
            <Notice>
              <p>{`${sentences.firstApproval}。`}</p>
            </Notice>
          )}
          <MemberList {...loaderData} listSave={listSave} />
          {maySubscribeToOwnFeed(visitor) && <OwnFeed loadedUrl={loaderData.feed} />}
        </>
      )}
      {deleted.length > 0 && <DeletedMembers deleted={deleted} listSave={listSave} />}
      {visitor && (
        <div className={page.actions}>
          {organises && <LinkButton to="/memberlist/message">メンバーに連絡する</LinkButton>}
          {mayManageMembers(visitor) && (
            <LinkButton to="/membercreate?for=nonmember">アカウントのない方を登録する</LinkButton>
          )}
          {organises && (
            <a className={button.button} href="/memberlist.csv" download>
              一覧をダウンロード（CSV）
            </a>
          )}
          <SignOutButton className={button.button}>ログアウト</SignOutButton>
        </div>
      )}
    </div>
  )
}

type NonMemberProps = { visitor: Visitor; own: SeenMember | undefined; listSave: ListSave }

function NonMemberView({ visitor, own, listSave }: NonMemberProps) {
  if (visitor?.member)
    return (
      <>
        <Notice>
          <p>{`${sentences.awaiting}。`}</p>
        </Notice>
        {own && (
          <section aria-labelledby="own">
            <h2 id="own" className={styles.heading}>
              ご自身の登録内容
            </h2>
            <MemberCard member={own} listSave={listSave} open />
          </section>
        )}
      </>
    )
  return (
    <>
      <Notice>
        <p>{visitor ? sentences.notRegistered : 'メンバー一覧は、承認されたメンバーの方だけがご覧いただけます。'}</p>
      </Notice>
      <p className={page.actions}>
        {!visitor && (
          <LinkButton to="/login" primary>
            ログイン
          </LinkButton>
        )}
        <LinkButton to="/membercreate" primary={visitor !== null}>
          メンバー登録
        </LinkButton>
      </p>
    </>
  )
}

/**
 * Informs the first member that they have become an administrator. After other registrations, the page shows a toast
 * instead.
 */
function FirstMemberNotice({ visitor, done }: { visitor: Visitor; done: string | null }) {
  const navigate = useNavigate()
  const isFirst = done === 'first' && visitor?.member?.administrator === true
  const [alert, setAlert] = useState(false)
  useEffect(() => setAlert(isFirst), [isFirst])
  const close = () => {
    setAlert(false)
    navigate('/memberlist', { replace: true, preventScrollReset: true })
  }
  if (!isFirst) return null
  return (
    <>
      {alert && <Alert sentence={sentences.firstMember} onClose={close} />}
      <noscript>
        <Notice kind="done">
          <p>{`${sentences.firstMember}。`}</p>
        </Notice>
      </noscript>
    </>
  )
}

type DeletedMembersProps = { deleted: { id: string; username: string }[]; listSave: ListSave }

function DeletedMembers({ deleted, listSave }: DeletedMembersProps) {
  return (
    <details className={disclosure.disclosure}>
      <summary>{`削除したメンバー（${deleted.length}名）`}</summary>
      <ul>
        {deleted.map((member) => (
          <li key={member.id}>
            {member.username}
            <MemberActionButton
              save={listSave.save}
              action="restore"
              member={member}
              onPress={() => listSave.press(memberIntent(member.id))}
            >
              この方を元に戻す
            </MemberActionButton>
            {listSave.of === memberIntent(member.id) && <Outcome save={listSave.save} />}
          </li>
        ))}
      </ul>
    </details>
  )
}
