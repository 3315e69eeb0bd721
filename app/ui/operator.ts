/** The server's operator, as named in errors that the owner cannot fix. Such errors mention no software or settings. */
export const OPERATOR = 'サイトを預けている方（サーバーの分かる方）'
