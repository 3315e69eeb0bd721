import { failureOf } from '../db/failure.ts'

/** An error as a sentence that tells the owner what to look at; of an unforeseen one, its own words. */
export function inOneSentence(error: unknown) {
  const { code, message, syscall, path } = error as NodeJS.ErrnoException
  const failure = failureOf(error)
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `設定 PORT の番号はほかのプログラムが使っています。別の番号にしてください（${message}）。`
  if (syscall === 'listen') return `設定 HOST と PORT の場所では待ち受けられません（${message}）。`
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return `データベースのファイルが壊れています。控えから戻してください（${message}）。`
  if (code?.startsWith('SQLITE_CANTOPEN') || code?.startsWith('SQLITE_READONLY') || code?.startsWith('SQLITE_PERM'))
    return `データベースのファイルを開けないか、書き込めません。置き場所の権限をご確認ください（${message}）。`
  if (code?.startsWith('SQLITE_IOERR') || code === 'EIO' || code === '58030')
    return `ディスクを読み書きできません。ディスクの故障を疑い、控えをほかの機械に移してください（${message}）。`
  if (failure === 'full') return `ディスクの空きがありません。空きを作ってから、もう一度お試しください（${message}）。`
  if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED'))
    return `データベースを、ほかのプログラムが使い続けています。それを終えてから、もう一度お試しください（${message}）。`
  if (code === 'EMFILE' || code === 'ENFILE')
    return `開いているファイルが多すぎます。ほかのプログラムを閉じてから、もう一度お試しください（${message}）。`
  if (code === 'ENOENT') return `ファイルがありません: ${path ?? message}`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST')
    return `データの置き場所に書き込めません: ${path ?? message}`
  if (failure === 'away' || failure === 'busy' || /^(?:28|3D)/.test(code ?? ''))
    return `設定 DATABASE_URL のデータベースにつながりません（${[code, message].filter(Boolean).join(' ')}）。データベースが動いているか、アドレスと合言葉が正しいかをお確かめください。`
  return message
}
