import { failureOf, READ_ONLY } from '../db/failure.ts'

// Connection errors of the PostgreSQL driver that have no code.
const CONNECTION_ERROR =
  /^(?:SASL|SCRAM|The server does not support SSL|There was an error establishing an SSL connection)/

/** Returns a Japanese sentence for the owner, or the error's own message if the error is unknown. */
export function errorSentence(error: unknown): string {
  const { code, message, syscall, path, cause } = error as NodeJS.ErrnoException
  const failure = failureOf(error)
  if (failure === 'unknown' && cause) return errorSentence(cause)
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `設定 PORT のポート番号は、ほかのプログラムが使っています。別の番号にしてください（${message}）。`
  if (syscall === 'listen') return `設定 HOST と PORT の場所では待ち受けられません（${message}）。`
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return `データベースのファイルが壊れています。控えから戻してください（${message}）。`
  if (code?.startsWith('SQLITE_CANTOPEN') || code?.startsWith('SQLITE_READONLY') || code?.startsWith('SQLITE_PERM'))
    return `データベースのファイルを開けないか、書き込めません。置き場所の権限と、ディスクが読み取り専用でないかをご確認ください（${message}）。`
  if (code?.startsWith('SQLITE_IOERR') || code === 'EIO' || code === '58030')
    return `ディスクを読み書きできません。ディスクの故障の可能性があります。控えを別のコンピューターに移してください（${message}）。`
  if (failure === 'full')
    return `ディスクに空きがないか、ファイルの数が上限に達しています。不要なファイルを削除してから、もう一度お試しください（${message}）。`
  if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED'))
    return `データベースを、ほかのプログラムが使い続けています。そのプログラムを終了してから、もう一度お試しください（${message}）。`
  if (code === 'EMFILE' || code === 'ENFILE')
    return `開いているファイルが多すぎます。ほかのプログラムを閉じてから、もう一度お試しください（${message}）。`
  if (syscall === 'connect') return connectionSentence(error)
  if (code === 'ENOENT') return `ファイルがありません: ${path ?? message}`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `読み書きする権限がないか、ディスクが読み取り専用です: ${path ?? message}`
  if (code === 'ENOTDIR' || code === 'EEXIST') return `フォルダーの場所に、ファイルがあります: ${path ?? message}`
  if (code === 'EISDIR') return `ファイルの場所に、フォルダーがあります: ${path ?? message}`
  // If the server of a network share is gone, file operations fail with the codes of a lost connection.
  if (path) return `${path} を読み書きできません（${message}）。`
  if (code === READ_ONLY)
    return `データベースが読み取り専用です。設定 DATABASE_URL が待機系（スタンバイ）を指していないか、default_transaction_read_only が on でないかをご確認ください（${message}）。`
  if (code === '42501')
    return `データベースのユーザーに権限がありません。データベースの所有者（OWNER）にしてください（${message}）。`
  if (code === '53300')
    return `データベースが、これ以上の接続を受け付けません。ユーザーの上限（CONNECTION LIMIT）か max_connections を増やしてください（${message}）。`
  if (failure === 'busy')
    return `データベースが混み合っているか、待ち時間の上限（statement_timeout など）を超えました。少し待ってから、もう一度お試しください（${message}）。`
  const isUnreachable = failure === 'away' || /^(?:28|3D)|CERT/.test(code ?? '') || CONNECTION_ERROR.test(message)
  return isUnreachable ? connectionSentence(error) : message
}

function connectionSentence(error: unknown) {
  const { code, message } = error as NodeJS.ErrnoException
  return `設定 DATABASE_URL のデータベースにつながりません（${[code, message].filter(Boolean).join(' ')}）。データベースが動いているか、アドレスとパスワードが正しいかをご確認ください。`
}
