import cluster from 'node:cluster'
import { errorSentence } from './error-sentence.ts'
import { openLog, openTerminal } from './log.ts'
import { startProcesses } from './processes.ts'
import { readSettings } from './settings.ts'
import { loadSettingsFile } from './settings-file.ts'

/** Starts the site. If the start fails, prints a sentence for the owner and exits. */
export async function start() {
  // The site continues if its output cannot be written, as on a full disk.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
  try {
    const notices = loadSettingsFile('.env')
    if (cluster.isPrimary) for (const notice of notices) console.error(notice)
    const settings = readSettings(process.env)
    const log = openLog(settings.logLevel, process.stdout.isTTY ? await openTerminal(process.stdout) : process.stdout)
    if (settings.processes > 1 && cluster.isPrimary) {
      if (settings.metricsToken) (await import('./process-metrics.ts')).answerMetricsRequests(log)
      return await startProcesses(settings.processes, log)
    }
    // Only the processes that serve need the rest of the bundle in memory.
    const { serve } = await import('./serve.ts')
    await serve(settings, log)
  } catch (error) {
    console.error(errorSentence(error))
    process.exit(1)
  }
}
