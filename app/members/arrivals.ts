/** What is said on arriving at the list from the confirm screen, by its name in the address. */
export const arrivals = {
  registered: 'メンバー登録を受け付けました。',
  added: '登録しました。',
  saved: '登録内容を保存しました。',
}
