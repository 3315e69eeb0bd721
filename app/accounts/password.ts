export type PasswordPolicy = {
  min: number
  max: number
  lower: boolean
  upper: boolean
  digit: boolean
  other: boolean
}

type Rule = { text: string; isMet: (password: string) => boolean }

export function passwordRules({ min, max, lower, upper, digit, other }: PasswordPolicy): Rule[] {
  const length = (password: string) => [...password].length
  return [
    { text: `${min}文字以上`, isMet: (password) => length(password) >= min },
    { text: `${max}文字以内`, isMet: (password) => length(password) <= max },
    ...(lower ? [{ text: '英小文字を含む', isMet: (password: string) => /[a-z]/.test(password) }] : []),
    ...(upper ? [{ text: '英大文字を含む', isMet: (password: string) => /[A-Z]/.test(password) }] : []),
    ...(digit ? [{ text: '数字を含む', isMet: (password: string) => /\d/.test(password) }] : []),
    ...(other ? [{ text: '記号を含む', isMet: (password: string) => /[^\sA-Za-z\d]/.test(password) }] : []),
  ]
}
