export const OPERATOR = 'サイトの管理を任せている方（サーバーに詳しい方）'
