import { errorSentence } from './error-sentence.ts'
import { enterProjectFolder } from './project-folder.ts'
import { loadSettingsFile } from './settings-file.ts'

/**
 * Prepares a command: enters the project folder and loads `.env`. Returns the notices about `.env`. If `.env` has a line
 * that cannot be understood, prints the line and exits.
 */
export function prepareProcess() {
  enterProjectFolder()
  try {
    return loadSettingsFile('.env')
  } catch (error) {
    console.error(errorSentence(error))
    process.exit(1)
  }
}
