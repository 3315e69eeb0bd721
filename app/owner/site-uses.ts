import type { PageName } from '../pages/page.ts'

export const siteUses = {
  circle: { label: 'テニスサークル', what: '紹介、メンバー登録、出欠', pages: ['tennisrelated', 'memberlist'] },
  portfolio: {
    label: '仕事の紹介',
    what: '動画、建築、ウェブ、VBA、社会の効率化の5ページ',
    pages: ['videoproduction', 'municipalarchitect', 'webdesignincludebackend', 'vbacreate', 'socialefficiency'],
  },
  mail: { label: 'お問い合わせ', what: 'お客さまが書き込めるメールフォーム', pages: ['mail'] },
} satisfies Record<string, { label: string; what: string; pages: PageName[] }>
export const siteUseNames = Object.keys(siteUses) as (keyof typeof siteUses)[]
