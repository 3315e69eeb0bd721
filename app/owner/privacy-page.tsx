import { Link } from 'react-router'
import styles from '../accounts/accounts.module.css'
import { PageHead } from '../pages/page-head.tsx'
import { openPage, readPages } from '../pages/pages.server.ts'
import { contextOf } from '../request.ts'
import page from '../ui/page.module.css'
import { Telephones } from '../ui/telephones.tsx'
import type { Route } from './+types/privacy-page.ts'

export const handle = { cache: 'minute' }

export async function loader({ context }: Route.LoaderArgs) {
  const pages = await readPages(context)
  const findShownPage = (name: string) => pages.find(({ id, shown }) => id === name && shown)
  return {
    about: await openPage(context, 'privacy'),
    circle: findShownPage('tennisrelated')?.title,
    takesMail: findShownPage('mail') !== undefined,
    showsVideos: findShownPage('videoproduction') !== undefined,
    hasGoogle: contextOf(context).auth.hasGoogle,
  }
}

export default function PrivacyPage({ matches, loaderData }: Route.ComponentProps) {
  const { site } = matches[0].loaderData
  const { about, circle, takesMail, showsVideos, hasGoogle } = loaderData
  const uses = ['ログイン', circle && `${circle}の運営`, takesMail && 'お問い合わせへのお返事'].filter(Boolean)
  const embeds = [showsVideos && '動画', site.mapQuery && '地図'].filter(Boolean)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageHead page={about} />
      <p>{`${site.name}のサイトでお預かりする情報と、その扱いについてお伝えします。`}</p>
      <section className={page.section}>
        <h2>お預かりするもの</h2>
        <ul className={styles.list}>
          <li>アカウント：お名前、メールアドレス、パスワード（元に戻せない形に変えて保管し、私たちにも読めません）</li>
          {hasGoogle && (
            <li>Googleでログインされる方：Googleから受け取るお名前とメールアドレス、Googleでの利用者番号</li>
          )}
          {circle && <li>{`${circle}のメンバー登録：登録の画面に書いてくださった内容`}</li>}
          {takesMail && <li>お問い合わせ：書いてくださった内容と、返信先のメールアドレス</li>}
          <li>メールアドレスを変更されたとき：前のアドレス（元に戻せるよう、7日のあいだ）</li>
          <li>ログイン中の端末：端末の種類、接続元のアドレス、最後に使われた日時（ご本人が確かめるため）</li>
        </ul>
      </section>
      <section className={page.section}>
        <h2>使いみちと、見る人</h2>
        <p>
          <span>{`${uses.join('、')}だけに使います。`}</span>
          広告や、よその会社への提供には使いません。
          住所・電話番号・メールアドレスを見られるのは、ご本人と管理者だけです。
          {circle && (
            <span>お名前やプロフィールなど、登録されたそのほかの内容は、承認されたメンバーどうしで見られます。</span>
          )}
        </p>
      </section>
      <section className={page.section}>
        <h2>このブラウザに残るもの</h2>
        <p>
          ログインの印（クッキー）を置きます。30日使わないか、90日たつと切れます。ログインしていることなどの小さな目印も残しますが、ログアウトすると消えます。
          そのほかに、前にログインした端末だという印（クッキー）を一つ置きます。よその人がパスワードをまちがえ続けても、ご本人が締め出されないようにするためで、一年で切れます。何かを保存したときは、保存したとおりのページをすぐにお見せするための印を置くことがあり、一分で切れます。書きかけの入力は、続きを書けるようにこのブラウザに残します。ログインせずに書かれたものはタブを閉じるまで、ログインして書かれたものは30日までで、送信・保存・ログアウトのときに消えます。閲覧を追いかけるしくみは使っていません。
          {embeds.length > 0 && (
            <span>{`${embeds.join('と')}は、押したときにはじめて、提供する会社（Google）から読み込みます。`}</span>
          )}
        </p>
      </section>
      <section className={page.section}>
        <h2>確かめる・直す・消す</h2>
        <p>
          ログインして<Link to="/account">アカウント</Link>
          を開くと、お預かりしている情報を一つのファイルで受け取れます。
          <span>{`退会すると、アカウント${circle ? 'とメンバー登録' : ''}はその場で消え、控え（バックアップ）からも、控えが入れ替わるにつれてなくなります。`}</span>
          パスワードや連絡先を忘れてログインできないときは、お店へご連絡ください。
        </p>
        {(site.telephone || site.address) && (
          <p>
            {`連絡先：${site.name} ${site.address} `}
            {site.telephone && (
              <span className="unbroken">
                {'電話 '}
                <Telephones text={site.telephone} />
              </span>
            )}
          </p>
        )}
      </section>
    </div>
  )
}
