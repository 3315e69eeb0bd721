import { Link } from 'react-router'
import styles from '../accounts/accounts.module.css'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage, readPages } from '../pages/pages.server.ts'
import page from '../ui/page.module.css'
import type { Route } from './+types/accessibility-page.ts'
import { ShopContact } from './shop-contact.tsx'
import { TextList } from './text-list.tsx'

export const handle = { cache: 'minute', translations: 'program', inSitemap: true }

export async function loader({ context }: Route.LoaderArgs) {
  const pages = await readPages(context)
  const isShown = (name: string) => pages.some(({ id, shown }) => id === name && shown)
  return {
    about: await openPage(context, 'accessibility'),
    takesMail: isShown('mail'),
    showsVideos: isShown('videoproduction'),
  }
}

export default function AccessibilityPage({ matches, loaderData }: Route.ComponentProps) {
  const { site } = matches[0].loaderData
  const { about, takesMail, showsVideos } = loaderData
  const embeds = [showsVideos && '動画', site.mapQuery && '地図'].filter(Boolean).join('と')
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site']} />
      <PageHead page={about} />
      <p>
        {words(
          t(
            '{name}のサイトを、障害のある方やご高齢の方にもお使いいただくための取り組みと、まだできていないことをお伝えします。',
            { name: site.name },
          ),
        )}
      </p>
      <section className={page.section}>
        <h2>{t('目標')}</h2>
        <p>
          {t(
            'このサイトを動かしているソフトウェア（Noren）は、ウェブの使いやすさの国際的な指針「WCAG 2.2」のレベルAAを満たすことを目標に作られています。文章、写真、動画などの内容は、お店が載せています。',
          )}
        </p>
      </section>
      <Support />
      <section className={page.section}>
        <h2>{t('確かめ方')}</h2>
        <ul className={styles.list}>
          <li>{t('ソフトウェアを変更するたびに、自動の検査（axe-core）と、上に挙げたことの試験をしています。')}</li>
          <li>
            {t(
              '対応しているブラウザは、ChromeとEdgeの111以降、Firefoxの125以降、Safariの16.4以降（iPhoneとiPadも）です。',
            )}
          </li>
          <li>
            {t('障害のある方に使っていただく試験、読み上げソフトでの試験、第三者による審査は、まだ行っていません。')}
          </li>
          <li>
            {t('ソフトウェアについての説明は、')}
            <time dateTime="2026-11-26">{t('2026年11月26日')}</time>
            {t('に確かめた内容です。')}
          </li>
        </ul>
      </section>
      <section className={page.section}>
        <h2>{t('まだできていないこと')}</h2>
        <TextList
          texts={[
            t('お店が載せた写真、動画、リンク先の文書には、説明や字幕が足りないものがあるかもしれません。'),
            embeds &&
              t(
                `${embeds}は、提供する会社（Google）の画面で操作します。このサイトでは、その使いやすさを変えられません。`,
              ),
            t(
              'JavaScriptを使わない設定にすると、Chromeの120より前とSafariの17より前では、スマートフォンなどの狭い画面でメニューを開けません。',
            ),
          ]}
        />
      </section>
      <section className={page.section}>
        <h2>{t('お困りのとき')}</h2>
        <p>
          {t('読み取れないところや、使えないところがありましたら、お手数ですがお店へお知らせください。')}
          {takesMail && (
            <>
              <Link to="/mail">{t('お問い合わせ')}</Link>
              {t('のページからも送っていただけます。')}
            </>
          )}
          <span>{t('ページの名前と、お使いの機器やブラウザ、読み上げソフトを添えていただけると助かります。')}</span>
        </p>
        <ShopContact site={site} />
      </section>
    </div>
  )
}

// Each item has tests; docs/decisions/0011 lists them.
function Support() {
  return (
    <section className={page.section}>
      <h2>{t('対応していること')}</h2>
      <TextList
        texts={[
          t('キーボード：メニュー、カレンダー、入力などの操作ができ、現在の場所を枠で示します。'),
          t(
            '読み上げ：見出しと入力欄の名前を読み上げられる形にし、ページの移動や、送信できたかどうかをお知らせします。',
          ),
          t(
            '色：文字と背景のコントラスト比は、写真や映像の上でもレベルAAの値を満たします。色を選び直す設定（ハイコントラスト）も使えます。',
          ),
          t('大きさ：文字を200%に拡大しても、幅320ピクセルの画面でも、横に動かさずに読めます。'),
          t('動き：写真の切り替わりと映像を止められます。動きを減らす設定では、映像を自動で再生しません。'),
          t('JavaScript：使わない設定でも、ページを読み、お問い合わせなどを送れます。'),
        ]}
      />
    </section>
  )
}
