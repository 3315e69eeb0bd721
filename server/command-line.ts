import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isSimilar } from './similar-name.ts'

type Expected<Option extends string> = { options?: readonly Option[]; maxWords?: number }

/**
 * Returns the first word and the options of a command. Prints the usage and exits if an option is unknown or if there are
 * too many words. Without `--` before it, npm takes an option for its own and passes it in the environment, also if the
 * option is misspelt.
 */
export function readArguments<Option extends string>(
  usage: string,
  { options = [], maxWords = 1 }: Expected<Option> = {},
) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: Object.fromEntries(options.map((name) => [name, { type: 'boolean' } as const])),
    })
    const variableOf = (name: Option) => `npm_config_${name.replaceAll('-', '_')}`
    const isMisspelt = (variable: string) => {
      const [, typed = ''] = /^npm_config_(.*)/.exec(variable) ?? []
      return options.some((name) => variable !== variableOf(name) && isSimilar(typed, name))
    }
    if (positionals.length > maxWords || Object.keys(process.env).some(isMisspelt)) exitWithUsage(usage)
    const isGiven = (name: Option) => values[name] === true || process.env[variableOf(name)] === 'true'
    return { word: positionals[0], options: options.filter(isGiven) }
  } catch {
    exitWithUsage(usage)
  }
}

export function exitWithUsage(usage: string): never {
  console.error(`使い方: ${usage}`)
  process.exit(1)
}

/** Returns the absolute path. A relative path begins in the folder in which the operator has called npm. */
export function resolvePath(path: string) {
  return resolve(process.env.INIT_CWD ?? '', path)
}
