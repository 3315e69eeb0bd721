// The forms of cards, their order, their history and the bin.
import type { Page } from '@playwright/test'
import { button, type Form, field, nextNumber, type PageAction, post, press, unfold, uniqueName } from './forms.ts'

const getFormPath = (id: string) => `/firestoreservice/${id}/edit`

/** Adds a card to a collection. Returns its ID. */
export async function createCard(page: Page, collection: string) {
  const title = uniqueName('歩く札')
  const location = await post(page, `/firestoreservice?databasename=${collection}`, {
    intent: 'add',
    title,
    content: '内容',
    text1: title,
  })
  return /#card-(.*)$/.exec(location)?.[1] ?? ''
}
const changedCard = { intent: 'save', version: '1', title: 'ほかの方の題', content: '内容' }
const changeCard: PageAction = (page) => post(page, new URL(page.url()).pathname, changedCard)
const fillCard = (title: string) => async (page: Page) => {
  await field(page, /^(?:タイトル|品名)/).fill(uniqueName(title))
  await field(page, '内容').fill('内容')
}

const priceField = (page: Page) => field(page, '出汁巻き玉子')
const soldOutSwitch = (page: Page) => page.getByRole('switch', { name: '「出汁巻き玉子」を本日売り切れにする' })
const lastDeletion = (page: Page) => page.getByRole('button', { name: /^「.+」を削除$/ }).last()

const NO_TITLE = 'タイトルを入力してください'
/** The test data that the forms of cards and dishes share. */
const savedForm = {
  send: press('保存する'),
  done: /保存しました。/,
}

export const formsOfCards: Form[] = [
  {
    file: 'cards/card-form.tsx',
    name: 'a new card',
    path: '/firestoreservice?databasename=vbacreate',
    invalid: { text: NO_TITLE, focus: '[name=title]' },
    fill: fillCard('歩いて足す'),
    send: press('追加する'),
    done: '追加しました。',
    resultUrl: /\/vbacreate(?:#.*)?$/,
    focus: 'article',
  },
  {
    file: 'cards/card-form.tsx',
    name: 'a card',
    walk: 'a long form with a draft and an idempotency key, whose conflict lets the editor choose a version',
    path: async (page) => getFormPath(await createCard(page, 'vbacreate')),
    invalid: { make: (page) => field(page, 'タイトル').fill(''), text: NO_TITLE, focus: '[name=title]' },
    fill: (page) => field(page, 'タイトル').fill(uniqueName('歩いて直す')),
    ...savedForm,
    conflict: {
      make: changeCard,
      text: 'どちらを残すかをお選び',
    },
    resultUrl: /\/vbacreate(?:#.*)?$/,
    focus: 'article',
  },
  {
    file: 'cards/card-form.tsx',
    name: 'the deletion of a card',
    path: async (page) => getFormPath(await createCard(page, 'vbacreate')),
    send: press('削除する'),
    confirm: '削除する',
    conflict: { make: changeCard, text: 'ほかの方が先に変更しました。' },
    done: '削除しました。',
    resultUrl: /\/vbacreate(?:#.*)?$/,
    focus: '#main',
  },
  {
    file: 'cards/card-form.tsx',
    name: 'a new dish',
    path: '/dining/new/add',
    invalid: { text: '品名を入力してください', focus: '[name=title]' },
    fill: fillCard('歩く皿'),
    send: press('追加する'),
    done: '追加しました。',
    resultUrl: /\/dining(?:#.*)?$/,
    focus: 'h1',
  },
  {
    file: 'cards/card-form.tsx',
    name: 'a dish',
    path: async (page) => `/dining/${await createCard(page, 'dining')}/edit`,
    fill: (page) => field(page, '品名').fill(uniqueName('歩いて直す皿')),
    ...savedForm,
    resultUrl: /\/dining(?:#.*)?$/,
    focus: 'h1',
  },
  {
    file: 'records/history-panel.tsx',
    name: 'reverting a card',
    path: async (page) => {
      const path = getFormPath(await createCard(page, 'vbacreate'))
      await post(page, path, changedCard)
      return path
    },
    fill: (page) => unfold(page, '変更履歴'),
    send: press(/^この時点に戻す/),
    done: /戻しました。/,
    resultUrl: /\/vbacreate(?:#.*)?$/,
    focus: 'article',
  },
  {
    file: 'forms/save-form.tsx',
    name: 'undoing a save',
    walk: 'the undo button of a toast',
    path: async (page) => {
      const location = await post(page, getFormPath(await createCard(page, 'vbacreate')), changedCard)
      return location.replace(/#.*/, '')
    },
    lazyControl: (page) => button(page, '元に戻す'),
    send: press('元に戻す'),
    done: '元に戻しました。',
    focus: 'button',
  },
  {
    file: 'shop/dining-editor.tsx',
    name: 'the sold-out switch of a dish',
    walk: 'a switch that shows only errors',
    path: async (page) => {
      await createCard(page, 'dining')
      return '/dining'
    },
    lazyControl: soldOutSwitch,
    send: (page) => soldOutSwitch(page).click(),
    focus: '[role=switch]',
  },
  {
    file: 'shop/prices-page.tsx',
    name: 'the prices of the dishes',
    walk: 'a list of fields that sends only its changes',
    path: '/dining/prices',
    invalid: {
      make: (page) => priceField(page).fill('百円'),
      text: '価格は円の数字で入力してください',
      focus: '[aria-invalid=true]',
    },
    fill: (page) => priceField(page).fill(String(1000 + nextNumber())),
    ...savedForm,
    done: '1品の価格を保存しました。',
    resultUrl: /\/dining$/,
    focus: '#main',
  },
  {
    file: 'cards/reorder-list.tsx',
    name: 'the order of the dishes',
    walk: 'buttons that move with their row',
    path: '/dining?arrange',
    lazyControl: (page) => button(page, '「出汁巻き玉子」を下へ'),
    send: press('「出汁巻き玉子」を下へ'),
    done: '並び順を保存しました。',
    focus: '[aria-label$=を下へ]',
  },
  {
    file: 'cards/reorder-list.tsx',
    name: 'the order of the slides',
    path: '/',
    send: press('「たくさんの人の」を下へ'),
    done: '並び順を保存しました。',
    focus: '[aria-label$=を下へ]',
  },
  {
    file: 'shop/slides-editor.tsx',
    name: 'the deletion of a slide on the page',
    walk: 'a list that the pressed item leaves, with a toast',
    path: '/',
    lazyControl: lastDeletion,
    send: (page) => lastDeletion(page).click(),
    confirm: '削除する',
    done: '削除しました。',
    focus: 'h2',
  },
  {
    file: 'owner/bin-page.tsx',
    name: 'restoring a card from the bin',
    walk: 'a save that all items of a list share',
    path: async (page) => {
      await post(page, getFormPath(await createCard(page, 'vbacreate')), { intent: 'delete', version: '1' })
      return '/bin'
    },
    send: press(/を元に戻す$/),
    done: '元に戻しました。',
    focus: 'h1',
  },
]
