/** An error as a sentence that tells the owner what to look at; of an unforeseen one, its own words. */
export function inOneSentence(error: unknown) {
  const { code, message, syscall, path } = error as NodeJS.ErrnoException
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `設定 PORT の番号はほかのプログラムが使っています。別の番号にしてください（${message}）。`
  if (syscall === 'listen') return `設定 HOST と PORT の場所では待ち受けられません（${message}）。`
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return `データベースのファイルが壊れています。控えから戻してください（${message}）。`
  if (code?.startsWith('SQLITE_CANTOPEN') || code === 'SQLITE_READONLY')
    return `データベースのファイルを開けません。置き場所の権限をご確認ください（${message}）。`
  if (code === 'ENOSPC' || code === 'SQLITE_FULL')
    return `ディスクの空きがありません。空きを作ってから、もう一度お試しください（${message}）。`
  if (code === 'ENOENT') return `ファイルがありません: ${path ?? message}`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST')
    return `データの置き場所に書き込めません: ${path ?? message}`
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || /^(?:28|3D|57)/.test(code ?? ''))
    return `設定 DATABASE_URL のデータベースにつながりません（${code} ${message}）。データベースが動いているか、アドレスと合言葉が正しいかをお確かめください。`
  return message
}
