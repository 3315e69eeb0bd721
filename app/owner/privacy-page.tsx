import { Link } from 'react-router'
import { isJapanese, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage, readPages } from '../pages/pages.server.ts'
import { contextOf, readOr } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { SiteSettings } from '../settings/site.ts'
import page from '../ui/page.module.css'
import type { Route } from './+types/privacy-page.ts'
import { ShopContact } from './shop-contact.tsx'
import { TextList } from './text-list.tsx'

export const handle = { cache: 'minute', translations: 'program' }

export async function loader({ context }: Route.LoaderArgs) {
  const pages = await readPages(context)
  const { takesTableRequests, tableRetentionDays } = await readOr(context, SiteSettings.parse({}), () =>
    readSite(contextOf(context).db),
  )
  const findShownPage = (name: string) => pages.find(({ id, shown }) => id === name && shown)
  return {
    about: await openPage(context, 'privacy'),
    accessibility: findShownPage('accessibility')?.title,
    circle: findShownPage('tennisrelated')?.title ?? '',
    takesMail: findShownPage('mail') !== undefined,
    showsVideos: findShownPage('videoproduction') !== undefined,
    hasGoogle: contextOf(context).auth.hasGoogle,
    tableDays: takesTableRequests ? tableRetentionDays : null,
  }
}

export default function PrivacyPage({ matches, loaderData }: Route.ComponentProps) {
  const { site } = matches[0].loaderData
  const { about, accessibility, circle, takesMail, showsVideos, hasGoogle, tableDays } = loaderData
  const uses = [
    'ログイン',
    circle && '{circle}の運営',
    takesMail && 'お問い合わせへのお返事',
    tableDays !== null && 'お席のご用意',
  ].filter(Boolean)
  const embeds = [showsVideos && '動画', site.mapQuery && '地図'].filter(Boolean)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site']} />
      <PageHead page={about} />
      <p>{words(t('{name}のサイトでお預かりする情報と、その扱いについてお伝えします。', { name: site.name }))}</p>
      <section className={page.section}>
        <h2>{t('お預かりするもの')}</h2>
        <TextList
          texts={[
            t('アカウント：お名前、メールアドレス、パスワード（元に戻せない形に変えて保管し、お店でも読み取れません）'),
            hasGoogle && t('Googleでログインされる方：Googleから受け取るお名前とメールアドレス、GoogleのユーザーID'),
            t('パスキーを追加された方：パスキーの名前と公開鍵、最後に使われた日時（指紋や顔の情報は届きません）'),
            t(
              '端末への通知を受け取る方：通知サービスのアドレスと、端末の種類（通知を止めるか、その端末でログアウトされるまで）',
            ),
            circle && words(t('{circle}のメンバー登録：登録の画面で入力された内容', { circle })),
            circle && t('予定の出欠：回答、お連れ様の人数、来場の記録、ゲストとして来られた方のお名前'),
            takesMail && t('お問い合わせ：入力された内容と、返信先のメールアドレス'),
            tableDays !== null &&
              t('お席のお申し込み：日時、人数、お名前、電話番号、メールアドレス、ご要望、お店からのお返事'),
            t('メールアドレスを変更されたとき：前のアドレス（元に戻せるよう、7日のあいだ）'),
            t('ログイン中の端末：端末の種類、接続元のアドレス、最後に使われた日時（ご本人に確認していただくため）'),
          ]}
        />
      </section>
      <section className={page.section}>
        <h2>{t('使いみちと、閲覧できる人')}</h2>
        <p>
          <span>{words(t(`${uses.join('、')}だけに使います。`, { circle }))}</span>
          <span>{t('広告や、第三者への提供には使いません。')}</span>
          <span>{t('住所・電話番号・メールアドレスを閲覧できるのは、ご本人と管理者だけです。')}</span>
          {tableDays !== null && (
            <span>
              {t(
                'ただし、お席のお申し込みは、連絡先も含めて、お席をご用意するスタッフも閲覧します。ご来店の日から{count}日たつと削除します。',
                { count: tableDays },
              )}
            </span>
          )}
          {circle && (
            <>
              <span>
                {t('お名前やプロフィールなど、登録されたそのほかの内容は、承認されたメンバーどうしで閲覧できます。')}
              </span>
              <span>{t('お名前と予定の出欠は、出欠をとりまとめるスタッフも閲覧できます。')}</span>
            </>
          )}
        </p>
      </section>
      <section className={page.section}>
        <h2>{t('このブラウザに残るもの')}</h2>
        <p>
          <span>
            {t(
              'ログイン用のクッキーを保存します。30日使わないか、90日たつと無効になります。ログイン中であることなどの情報も保存しますが、ログアウトすると消えます。',
            )}
          </span>
          <span>
            {t(
              'そのほかに、以前にログインした端末であることを示すクッキーを一つ保存します。ほかの人がパスワードを間違え続けても、ご本人がログインできるようにするためのもので、1年で無効になります。内容を保存したときは、その内容をすぐに表示するためのクッキーを保存することがあり、1分で無効になります。入力の途中の内容は、続きを入力できるようにこのブラウザに保存します。ログインせずに入力されたものはタブを閉じるまで、ログインして入力されたものは最長30日残り、どちらも送信・保存・ログアウトのときに消えます。閲覧を追跡する仕組みは使っていません。',
            )}
          </span>
          <span>
            {t('パスキーでログインするときは、確認のためのクッキーを保存します。このクッキーは、5分で無効になります。')}
          </span>
          {embeds.length > 0 && (
            <span>
              {t(`${embeds.join('と')}は、ボタンを押したときに初めて、提供する会社（Google）から読み込みます。`)}
            </span>
          )}
        </p>
      </section>
      <section className={page.section}>
        <h2>{t('確認・変更・削除')}</h2>
        <p>
          {t('ログインして')}
          {isJapanese() ? (
            <Link to="/account">アカウント</Link>
          ) : (
            <a href="/account" hrefLang="ja">
              {t('アカウント')}
            </a>
          )}
          {t('を開くと、お預かりしている情報を一つのファイルで受け取れます。')}
          <span>
            {t(
              `退会すると、アカウント${circle ? 'とメンバー登録' : ''}はすぐに削除され、控え（バックアップ）からも、控えが入れ替わるにつれて消えます。`,
            )}
          </span>
          {t('パスワードやメールアドレスを忘れてログインできないときは、お店へご連絡ください。')}
        </p>
        <ShopContact site={site} />
      </section>
      {accessibility && (
        <p>
          <Link to="/accessibility">{words(accessibility)}</Link>
        </p>
      )}
    </div>
  )
}
