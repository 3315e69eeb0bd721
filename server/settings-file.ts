import { lstatSync } from 'node:fs'
import { secretNames, settingNames } from './settings.ts'
import { isSimilar } from './similar-name.ts'
import { readTextFile } from './text-file.ts'

type Line = { name: string; value: string; notice?: string } | { fault: string } | null

/**
 * Adds the variables of a settings file to the environment, which overrides them. Returns a notice in Japanese for each
 * line that probably has another meaning. Throws an Error that names every line that cannot be understood. A missing
 * file has no variables.
 */
export function loadSettingsFile(file: string, environment: NodeJS.ProcessEnv = process.env) {
  const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (!exists(file))
    return exists(`${file}.txt`) ? [`${file}.txt は読み込みません。名前を ${file} に変えてください。`] : []
  const lines = readTextFile(file)
    .split(/\r\n?|\n/)
    .map(readLine)
  const faults: string[] = []
  const notices: string[] = []
  const variables: Record<string, string> = {}
  for (const [index, line] of lines.entries()) {
    const place = `${file} の${index + 1}行目`
    if (line && 'fault' in line) faults.push(`${place}${line.fault}`)
    else if (line) {
      variables[line.name] = line.value
      if (line.notice) notices.push(`${place}${line.notice}`)
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const overridden = new Set(Object.keys(environment).map(withoutSuffix))
  for (const [name, value] of Object.entries(variables))
    if (!overridden.has(withoutSuffix(name))) environment[name] = value
  return notices
}

// The environment may set DATABASE_URL if the file sets DATABASE_URL_FILE.
function withoutSuffix(name: string) {
  const base = name.replace(/_FILE$/, '')
  return secretNames.includes(base) ? base : name
}

/** Parses a line. `util.parseEnv` would cut values at any # and skip lines that it does not understand. */
function readLine(text: string): Line {
  const line = text.trim()
  if (/^(?:[#＃]|$)/.test(line)) return null
  // Japanese input methods type the full-width forms of =, #, letters and spaces.
  const [, typedName, rest = ''] = /^(?:export\s+)?([^=＝]+)[=＝](.*)$/.exec(line) ?? []
  if (!typedName) return { fault: 'は「名前=値」の形ではありません。注釈なら、行の初めに # を付けてください。' }
  const name = typedName.trim().normalize('NFKC')
  const isKnown = settingNames.includes(name)
  const similar = isKnown ? undefined : settingNames.find((setting) => isSimilar(name, setting))
  if (similar) return { fault: `の ${name} という設定はありません。${similar} のことでしょうか。` }
  const { value, isCut } = readValue(rest)
  if (value === undefined)
    return {
      fault: `の ${name} の引用符が閉じていないか、あとに文字が続いています。値の全体を引用符で囲んでください。`,
    }
  if (!isKnown) return { name, value, notice: `の ${name} は、このサイトの設定にない名前です。綴りをご確認ください。` }
  const isSecret = secretNames.includes(withoutSuffix(name))
  // Passwords and paths may contain full-width characters.
  if (!isSecret && !name.endsWith('_DIR')) return { name, value: value.normalize('NFKC') }
  if (!isCut || !secretNames.includes(name)) return { name, value }
  const cutNotice = `の ${name} は、# の前までを値として読みました。# も値の一部なら、値の全体を引用符で囲んでください。`
  return { name, value, notice: cutNotice }
}

// Some editors replace straight quotes with curly ones.
const QUOTED = /^(?:"(.*?)"|'(.*?)'|`(.*?)`|[“”＂](.*?)[“”＂]|[‘’＇](.*?)[‘’＇])(?:\s+[#＃].*)?$/

/** Returns the value without quotes and comment, or `undefined` if the quotes are not closed at the end. */
function readValue(text: string): { value?: string | undefined; isCut?: boolean } {
  const quoted = QUOTED.exec(text.trim())
  if (quoted) return { value: quoted.slice(1).find((value) => value !== undefined) }
  if (/^\s*["'`“”‘’＂＇]/.test(text)) return {}
  const [, value = '', comment] = /^(.*?)(\s[#＃].*)?$/.exec(text) ?? []
  return { value: value.trim(), isCut: comment !== undefined && value.trim() !== '' }
}
