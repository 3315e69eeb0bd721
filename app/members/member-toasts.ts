/** Toasts of the member list after a registration or an edit, by the value of the URL parameter `done`. */
export const memberToasts = {
  registered: 'メンバー登録を受け付けました。',
  added: '登録しました。',
  saved: '登録内容を保存しました。',
}
