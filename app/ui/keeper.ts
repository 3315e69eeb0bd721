/** Whom the owner asks where only the machine can help: what runs there, and how it is set, is no matter of theirs. */
export const KEEPER = 'サイトを預けている方（サーバーの分かる方）'
