import type { Kysely, Transaction } from 'kysely'
import { Event } from '../app/calendar/event.ts'
import { addEvent } from '../app/calendar/events.server.ts'
import { type CardFields, type CollectionName, cardSchema, type SpecifiedCollection } from '../app/cards/card.ts'
import { addCard } from '../app/cards/cards.server.ts'
import { dayInJapan } from '../app/dates/japan.ts'
import { addDays, weekdayOf } from '../app/dates/month.ts'
import { noHours, scheduleRows } from '../app/hours/business-day.ts'
import { saveSpecialDays, saveWeek } from '../app/hours/business-days.server.ts'
import type { DayOfWeek } from '../app/hours/groups.ts'
import type { Schedule, ScheduleRow } from '../app/hours/schedule.ts'
import { uses } from '../app/owner/uses.ts'
import { type PageFacts, type PageName, pageNames } from '../app/pages/page.ts'
import { pageFactsOf } from '../app/pages/page-record.server.ts'
import { savePage } from '../app/pages/pages.server.ts'
import type { Author } from '../app/request.ts'
import { createSite } from '../app/settings/site.server.ts'
import { SiteFacts } from '../app/settings/site.ts'
import type { Tables } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'

/** Fills a new database with the sample shop, only once. `now` is in milliseconds since 1970. */
export async function fillSampleShop(db: Kysely<Tables>, { wanted, now }: { wanted: boolean; now: number }) {
  const author = { accountId: null, at: new Date(now).toISOString() }
  await inTransaction(db, async (trx) => {
    const first = await trx
      .insertInto('marks')
      .values({ name: 'sample shop decided', at: author.at })
      .onConflict((already) => already.column('name').doNothing())
      .returning('name')
      .executeTakeFirst()
    if (!first) return
    if (!wanted) return hideFurtherUses(trx, author)
    await createSite(trx, SiteFacts.parse(facts), author)
    await saveWeek(trx, schedule(), { version: 0 }, author)
    await fillCalendar(trx, dayInJapan(now), author)
    for (const [collection, items] of Object.entries(cards)) {
      await fillCollection(trx, collection as CollectionName, items, author)
    }
    for (const id of pageNames) {
      const facts = { ...pageFactsOf(id, null), ...pages[id] }
      await savePage(trx, id, { version: 0, facts }, author)
    }
    // The action distinguishes sample content from the owner's in the history.
    await trx.updateTable('revisions').set({ action: 'sample' }).execute()
  })
}

// The owner has not asked for these pages yet; the setup wizard offers them.
async function hideFurtherUses(trx: Transaction<Tables>, author: Author) {
  for (const name of [...uses.circle.pages, ...uses.portfolio.pages]) {
    await savePage(trx, name, { version: 0, facts: { ...pageFactsOf(name, null), shown: false } }, author)
  }
}

async function fillCollection(
  db: Kysely<Tables>,
  collection: CollectionName,
  items: Partial<CardFields>[],
  author: Author,
) {
  const schema = cardSchema(collection)
  for (const [index, item] of items.entries()) {
    await addCard(db, collection, schema.parse({ order: index + 1, ...item }), author)
  }
}

async function fillCalendar(db: Kysely<Tables>, today: string, author: Author) {
  const year = Number(today.slice(0, 4))
  const days = [`${year}-12-31`, `${year + 1}-01-01`, `${year + 1}-01-02`, `${year + 1}-01-03`]
  await saveSpecialDays(db, { days, reason: '年末年始休業', hours: noHours }, new Map(), author)
  const saturday = addDays(today, (13 - weekdayOf(today)) % 7)
  for (const event of [
    {
      day: saturday,
      startTime: '09:00',
      endTime: '11:30',
      attendance: true,
      title: 'テニス練習会',
      content: '9時から宝が池の西コートで。初めての方もどうぞ。',
    },
    {
      day: addDays(saturday, 1),
      title: '新そばの会',
      content: '信州から届いた新そばを、その場で打ちます。先着二十名さま。',
    },
    {
      day: addDays(saturday, 7),
      title: '親睦テニス',
      content: 'ダブルスの組み合わせは当日のくじ引きです。終わったら、店でお昼をご一緒に。',
    },
    {
      day: addDays(saturday, 14),
      title: '出汁の教室',
      content: '昆布と鰹節で一番出汁をひきます。手ぬぐいをお持ちください。',
    },
  ]) {
    await addEvent(db, crypto.randomUUID(), Event.parse(event), author)
  }
}

function schedule(): Schedule {
  const closed = new Set<string>(['火曜日', '水曜日'])
  const asTheWeekday = new Set<string>(['祝日', '祝前日'])
  const row = (name: string): ScheduleRow => {
    if (closed.has(name)) return { open_or_close: 'close', ...noHours }
    return asTheWeekday.has(name) ? { open_or_close: 'open', ...noHours } : { open_or_close: 'open', ...openHours }
  }
  return Object.fromEntries(scheduleRows.map((name) => [name, row(name)])) as Record<DayOfWeek, ScheduleRow>
}

const openHours = {
  starttime1_hour: '07',
  starttime1_minute: '30',
  endtime1_hour: '10',
  endtime1_minute: '00',
  starttime2_hour: '11',
  starttime2_minute: '30',
  endtime2_hour: '14',
  endtime2_minute: '00',
}

const facts = {
  name: 'ダイニング結',
  seal: '結',
  description: '京都の路地にある、朝ごはんとお昼の小さな食事処。土鍋ご飯と出汁の料理で、一日のはじまりを結びます。',
  postalCode: '605-0000',
  address: '京都府京都市東山区結び小路 上る 1-2（見本の住所です）',
  directions: [
    '京阪本線「祇園四条」駅 7番出口から東へ歩いて8分',
    '市バス「祇園」から歩いて5分',
    '八坂の塔を目印に、石畳の路地を北へ。赤い暖簾が見えたら到着です。',
  ],
  telephone: '075-000-0000',
  mapQuery: '八坂の塔 京都市東山区',
  notice: '',
  hoursInWords: '木曜日から月曜日まで、朝の部と昼の部に分けて営業しております。火曜日・水曜日と年末年始はお休みです。',
  payment: '現金、クレジットカード、交通系IC、QRコード決済',
  parking: '専用の駐車場はございません。お近くの有料駐車場をご利用ください。',
  firstSlot: '朝の部',
  secondSlot: '昼の部',
  cuisine: 'Japanese',
  seats: 'カウンター8席、小上がり2卓',
  recipientNames: { shop: 'お店', circle: 'テニスサークル', portfolio: '制作とシステムのご相談' },
  links: [],
}

const pages: { [Name in PageName]?: Partial<PageFacts> } = {
  home: { title: '京都の朝ごはんとお昼', introduction: '朝の湯気と、\n出汁の香りと。', scenes: '店の風景' },
  infomation: {
    description: '営業時間と定休日、お席やお支払いのご案内です。',
    film: 'shop',
    imageAlt: '風にゆれる店の暖簾と、ともる提灯',
  },
  dining: {
    description: '土鍋の炊き込みご飯、出汁巻き玉子、おばんざい。京都の野菜と一番出汁でつくる、朝とお昼のお料理です。',
    empty: 'お料理はただいま準備しております。もうしばらくお待ちください。',
  },
  access: { description: '住所、電話番号、地図と、駅やバス停からの道順をご案内します。' },
  calendar: { description: '営業日と定休日、祝日の営業、催しの予定をご覧いただけます。' },
  videoproduction: {
    description: '撮影から編集、動画サイトでの公開まで。お店や地域の魅力を伝える動画づくりの実例をご紹介します。',
    film: 'video',
  },
  municipalarchitect: {
    description: '公共施設の点検、図面の管理、修繕の計画。自治体の建築の仕事を助けるしくみの実例をご紹介します。',
    film: 'architect',
  },
  webdesignincludebackend: {
    description: '小さなお店のサイトから、予約や管理のしくみまで。見た目と裏側をひとつにつくる実例をご紹介します。',
    film: 'web',
  },
  vbacreate: {
    description: '請求書、シフト表、在庫、月次の報告。表計算の繰り返し作業をひと押しにする実例をご紹介します。',
    film: 'vba',
  },
  socialefficiency: {
    description:
      '乗り合いバス、図書館、食べものの分かち合い。町のむだを減らし、暮らしを楽にする取り組みをご紹介します。',
    film: 'social',
  },
  tennisrelated: {
    description: '毎週土曜日の練習会、はじめての方の日、季節の親睦試合。店に集う仲間のテニスサークルです。',
    film: 'tennis',
  },
  mail: { introduction: 'ご予約のご相談、お仕事のご依頼など、お気軽にお書きください。' },
  privacy: { description: 'お預かりする情報と、その使いみち、残る期間、消し方を、やさしい言葉でまとめました。' },
}

// Alternative texts of the drawings.
const pictures: Record<string, string> = {
  'dish-takikomi': 'しめじ、栗、銀杏、もみじ形の人参を炊き込んだ土鍋ご飯',
  'dish-dashimaki': '藍色の長皿に並ぶ厚切りの出汁巻き玉子と大根おろし',
  'dish-takiawase': '海老芋、かぼちゃ、飾り切りの椎茸、いんげん、花形の人参の炊き合わせ',
  'dish-saikyo': '葉をかたどった青磁の皿にのせた鰆の西京焼き、はじかみと酢橘',
  'dish-yuba': '湯葉ともみじ形の生麩、三つ葉、柚子を浮かべた漆の椀',
  'dish-obanzai': '杉の盆にのせた三種の小鉢と、梅干しのご飯、味噌汁',
  'dish-gomadofu': '織部の皿に一つ置かれた胡麻豆腐、わさびと醤油',
  'dish-tempura': '竹かごに盛った舞茸、大葉、蓮根、薩摩芋の天ぷら',
  'dish-soba': 'せいろに盛った新そばと、蕎麦猪口、薬味',
  'dish-kamo': '扇形に並べた鴨ロースと、焼き目をつけた九条葱',
  'dish-chazuke': '鯛とあられ、海苔をのせた茶碗に、土瓶から注がれる出汁',
  'dish-warabimochi': 'ガラスの器のわらび餅にかかる黒蜜と、お抹茶',
  'architect-inspection': '夕方の校舎の前で、タブレットにひび割れの位置を書き込む手',
  'architect-drawings': '図面棚の上で、紙の平面図が細い線のデジタル図面に変わっていく様子',
  'architect-repairs': '四季の帯を背にした庁舎の立面と足場、修繕の工程表',
  'architect-counter': '低い窓口で向かい合い、申請書を書く高齢の女性と説明する職員',
  'web-shop': '夜のカウンターに立てたスマートフォンに映る小さな店のページ',
  'web-booking': '夜の机の卓上カレンダーと呼び鈴、紐で結んだ紙の包み',
  'web-dashboard': '木の机の上の、グラフの並ぶノートパソコンとお茶',
  'web-server': '月明かりの町家の小さなサーバー棚と、その上で眠る三毛猫',
  'vba-invoice': '巻物のように流れる表から、束になっていく封筒',
  'vba-shift': '名札と磁石で一週間を組んだ壁の当番表',
  'vba-stock': '木箱と樽の並ぶ倉庫と、数を書きとめた表',
  'vba-report': '机の上の折れ線と棒のグラフ、そろばん、コーヒー',
  'social-bus': '秋の棚田の道を走る小さなバスと、停留所で待つ人',
  'social-library': '雪の夜、窓に本棚の明かりがともる図書室',
  'social-foodloss': '朝の市で、形のふぞろいな野菜のかごを手渡す人',
  'social-disaster': '備蓄の箱と灯り、壁の地図。外は雨',
  'tennis-practice': '朝の長い影がのびる緑のコートで打ち合う人たち',
  'tennis-lesson': '京都の山を背に、初心者に打ち方を教えるコーチ',
  'tennis-match': 'ネットの白帯をこえるボールとラケット、得点板',
  'tennis-tea': '夕日のベンチのラケットとタオル、水筒とおむすび',
}

const dish = (picture: string, price: number, allergens: string, title: string, content: string) => ({
  title,
  content,
  price,
  allergens,
  allergensConfirmed: allergens !== '',
  ...drawn(`dish-${picture}`),
})
const work = (picture: string, eventDay: string, title: string, content: string, linkUrl = '') => ({
  title,
  content,
  eventDay,
  linkUrl,
  ...drawn(picture),
})
const drawn = (picture: string) => ({ image: `/art/${picture}-800.jpg`, imageAlt: pictures[picture] ?? '' })
const video = (id: string, eventDay: string, title: string, content: string) => ({
  title,
  content,
  eventDay,
  youtubeUrl: `https://www.youtube.com/watch?v=${id}`,
})

const cards: { [C in SpecifiedCollection]?: Partial<CardFields>[] } = {
  home: [
    {
      text1: 'たくさんの人の',
      text2: '笑顔が見たくて',
      text3: '提灯のともる夕暮れの路地と、店の赤い暖簾',
      image: '/art/story-alley-1920.jpg',
    },
    {
      text1: '東京の三つ星の店で',
      text2: '腕を磨いた日々',
      text3: '夜景の見える東京の調理場で盛り付けに打ち込む料理人',
      image: '/art/story-tokyo-1920.jpg',
    },
    {
      text1: '目には見えない手間が',
      text2: '味の奥行きになる',
      text3: '夜明けの調理場で、湯気の立つ鍋から出汁をひく手',
      image: '/art/story-dashi-1920.jpg',
    },
    { text1: '朝の店先', text3: '打ち水をした石畳と、朝の光を受けた店の暖簾', image: '/art/scene-noren-800.jpg' },
    { text1: 'カウンター', text3: '檜のカウンターと、棚に並ぶ器', image: '/art/scene-counter-800.jpg' },
    { text1: '坪庭', text3: '縁側から見た、苔と石灯籠の坪庭', image: '/art/scene-garden-800.jpg' },
    { text1: 'おくどさん', text3: '薪の火にかけた土鍋と、立ちのぼる湯気', image: '/art/scene-kamado-800.jpg' },
    { text1: '丸窓の席', text3: '丸窓の外の紅葉と、お茶の盆', image: '/art/scene-window-800.jpg' },
    { text1: '鴨川の夕暮れ', text3: '夕暮れの鴨川と飛び石、遠くの山並み', image: '/art/scene-river-800.jpg' },
  ],
  dining: [
    dish(
      'takikomi',
      1400,
      '小麦',
      '季節の炊き込みご飯',
      '大原の野菜ときのこを、ひとり用の土鍋で炊きあげます。ふたを取った湯気までがごちそうです。朝の部の看板の一品。',
    ),
    dish(
      'dashimaki',
      850,
      '卵、小麦',
      '出汁巻き玉子',
      '利尻昆布と本枯節の一番出汁を、玉子にたっぷりと。箸を入れると、出汁がじゅわりとこぼれます。',
    ),
    dish(
      'takiawase',
      1100,
      '小麦',
      '京野菜の炊き合わせ',
      '海老芋、鹿ヶ谷かぼちゃ、椎茸。ひとつずつ別の鍋で炊き、最後に味を重ねます。',
    ),
    dish('saikyo', 1300, '', '鰆の西京焼き', '白味噌の床に三日。炭火で香ばしく焼き、酢橘を添えてお出しします。'),
    dish('yuba', 900, '小麦', '湯葉と生麩の椀', '引き上げたばかりの湯葉に、紅葉の生麩。柚子の香りが立つうちにどうぞ。'),
    dish(
      'obanzai',
      1200,
      '小麦',
      '朝のおばんざい三種',
      'ひじき、青菜の胡麻和え、かぼちゃの炊いたん。ご飯と味噌汁のついた、いつもの朝ごはんです。',
    ),
    dish('gomadofu', 600, '小麦', '胡麻豆腐', '白胡麻を半日かけて摺り、葛で練りました。わさびを少しのせて。'),
    dish(
      'tempura',
      1100,
      '卵、小麦',
      '旬の野菜の天ぷら',
      '蓮根、薩摩芋、舞茸、大葉。薄い衣で軽く揚げます。まずは塩でお召し上がりください。',
    ),
    dish(
      'soba',
      1300,
      'そば、小麦',
      '新そば',
      '秋だけの、挽きたて、打ちたて、茹でたて。緑がかった色と香りをお楽しみください。',
    ),
    dish('kamo', 1500, '小麦', '鴨ロースと九条葱', 'しっとりと火を入れた鴨に、焼いた九条葱。粒の芥子がよく合います。'),
    dish(
      'chazuke',
      1400,
      '小麦',
      '鯛のだし茶漬け',
      '胡麻だれの鯛を、まずはそのまま。それから熱い出汁を注いで、二度おいしく。',
    ),
    dish(
      'warabimochi',
      800,
      '',
      'わらび餅とお抹茶',
      '本わらび粉を練りあげた、とろけるやわらかさ。黒蜜は少しずつかけるのがおすすめです。',
    ),
  ],
  videoproduction: [
    video(
      'aqz-KE-bpKQ',
      '2026-03-15',
      '店の一日を、三分の映像に',
      '仕込みの湯気から、のれんをしまうまで。撮影、編集、公開までをお引き受けした見本です。',
    ),
    video(
      'LXb3EKWsInQ',
      '2026-05-10',
      '風景を主役にした紹介映像',
      '四季の移ろいを高精細で撮影し、言葉を使わずに土地の魅力を伝えます。',
    ),
    video(
      'M7lc1UVf-VE',
      '2026-07-20',
      '使い方を伝える解説動画',
      '画面の操作を順に見せ、字幕と見出しで迷わない動画に仕上げます。',
    ),
    video(
      'jNQXAC9IVRw',
      '2026-09-01',
      'はじめての動画公開をお手伝い',
      'チャンネルの開設から題名や説明文の書き方まで、最初の一本を一緒に公開します。',
    ),
  ],
  municipalarchitect: [
    work(
      'architect-inspection',
      '2026-02-10',
      '公共施設の点検を、紙からタブレットへ',
      '学校や集会所の点検を現場で記録。写真と図面がその場で結びつき、報告書までが自動でできます。',
      'https://www.mlit.go.jp/sogoseisaku/maintenance/',
    ),
    work(
      'architect-drawings',
      '2026-04-22',
      '眠っていた図面を、探せる台帳に',
      '倉庫の図面を読み取り、建物と年度から探せるようにしました。改修の相談が一日早くなります。',
      'https://www.digital.archives.go.jp/',
    ),
    work(
      'architect-repairs',
      '2026-06-18',
      '修繕の計画を、ひと目で',
      '建物の傷みと予算をならべ、どこから直すかを一枚の表で話し合えます。',
    ),
    work(
      'architect-counter',
      '2026-08-05',
      '申請の窓口を、待たせない形に',
      '受付の順番と書類の不足を先にお知らせ。窓口に来る前に、ほとんどが済んでいます。',
      'https://shinsei.e-gov.go.jp/',
    ),
  ],
  webdesignincludebackend: [
    work(
      'web-shop',
      '2026-01-20',
      '小さなお店のサイト',
      '営業日、お料理、道順が一目で伝わるサイトを、店の方がスマートフォンから直せる形でつくります。',
      '/',
    ),
    work(
      'web-booking',
      '2026-03-30',
      '営業日と催しのカレンダー',
      '定休日も臨時の休みも、三回触れるだけ。見ている人の画面がその場で変わります。',
      '/calendar',
    ),
    work(
      'web-dashboard',
      '2026-06-01',
      '迷わない管理画面',
      'ページの上でそのまま直せるので、難しい管理画面を覚える必要がありません。',
      '/dining',
    ),
    work(
      'web-server',
      '2026-09-12',
      'サーバーと保守',
      '毎晩の控え、証明書の更新、もしもの復旧まで。小さな一台で、静かに動き続けます。',
    ),
  ],
  vbacreate: [
    work(
      'vba-invoice',
      '2026-02-01',
      '請求書を、ひと押しで',
      '売上の表から取引先ごとの請求書をまとめて作成。月末の半日が、十分になりました。',
      'https://learn.microsoft.com/ja-jp/office/vba/api/excel.worksheet.exportasfixedformat',
    ),
    work(
      'vba-shift',
      '2026-04-01',
      '希望を聞くシフト表',
      '休みの希望と必要な人数から、無理のない一か月の表を組みます。',
    ),
    work(
      'vba-stock',
      '2026-06-01',
      '在庫の数え間違いをなくす',
      '入りと出を一枚に。足りなくなる前に、色で知らせます。',
      'https://learn.microsoft.com/ja-jp/office/vba/api/excel.formatconditions.add',
    ),
    work(
      'vba-report',
      '2026-08-01',
      '月次の報告を自動で',
      '数字の集計からグラフの貼り付けまで。開いて、確かめて、送るだけです。',
      'https://learn.microsoft.com/ja-jp/office/vba/api/excel.shapes.addchart2',
    ),
  ],
  socialefficiency: [
    work(
      'social-bus',
      '2026-03-01',
      '地域の乗り合いバス',
      '空いた席と行き先を結び、待ち時間の短い便を組みます。',
      'https://www.mlit.go.jp/sogoseisaku/transport/sosei_transport_tk_000237.html',
    ),
    work(
      'social-library',
      '2026-05-01',
      '図書館どうしの相互利用',
      '町をこえて本を借りられるしくみ。読みたい本に、早く出会えます。',
      'https://ndlsearch.ndl.go.jp/',
    ),
    work(
      'social-foodloss',
      '2026-07-01',
      '食べられるものを、食べる人へ',
      '形のふぞろいな野菜や余った食材を、近くの台所へつなぎます。',
      'https://www.maff.go.jp/j/shokusan/recycle/syoku_loss/',
    ),
    work(
      'social-disaster',
      '2026-09-01',
      '備えを分け合う',
      '避難所の備蓄を町ぐるみで共有。足りないものがすぐに分かります。',
    ),
  ],
  tennisrelated: [
    work(
      'tennis-practice',
      '2026-04-04',
      '毎週土曜日の練習会',
      '朝の九時から二時間、ラリーとサーブを中心に。年齢も経験も問いません。',
      '/calendar',
    ),
    work(
      'tennis-lesson',
      '2026-05-16',
      'はじめての方の日',
      'ラケットの握り方から、ゆっくりと。道具はお貸しします。',
      '/calendar',
    ),
    work(
      'tennis-match',
      '2026-10-10',
      '季節の親睦試合',
      'くじ引きのダブルスで、勝っても負けても笑って終わります。',
      '/calendar',
    ),
    work(
      'tennis-tea',
      '2026-11-07',
      '練習のあとのひととき',
      '夕日の差すベンチで、おむすびと温かいお茶を。ここからが本番という人もいます。',
      '/dining',
    ),
  ],
}
