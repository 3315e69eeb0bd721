/** The server's operator, as named in errors that the owner cannot fix. Such errors mention no software or settings. */
export const OPERATOR = 'サイトの管理を任せている方（サーバーに詳しい方）'
