/** Toasts of the member list after the confirm screen, by the `done` parameter of the URL. */
export const memberToasts = {
  registered: 'メンバー登録を受け付けました。',
  added: '登録しました。',
  saved: '登録内容を保存しました。',
}
