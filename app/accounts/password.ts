export type PasswordPolicy = {
  min: number
  max: number
  lower: boolean
  upper: boolean
  digit: boolean
  other: boolean
}

type Rule = { words: string; met: (password: string) => boolean }

export function passwordRules({ min, max, lower, upper, digit, other }: PasswordPolicy): Rule[] {
  const length = (password: string) => [...password].length
  return [
    { words: `${min}文字以上`, met: (password) => length(password) >= min },
    { words: `${max}文字以内`, met: (password) => length(password) <= max },
    ...(lower ? [{ words: '英小文字を含む', met: (password: string) => /[a-z]/.test(password) }] : []),
    ...(upper ? [{ words: '英大文字を含む', met: (password: string) => /[A-Z]/.test(password) }] : []),
    ...(digit ? [{ words: '数字を含む', met: (password: string) => /\d/.test(password) }] : []),
    ...(other ? [{ words: '記号を含む', met: (password: string) => /[^\sA-Za-z\d]/.test(password) }] : []),
  ]
}

export const commonPassword = 'このパスワードは広く知られているため使えません。ほかのものにしてください。'
