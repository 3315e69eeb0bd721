import { readArguments } from '../server/command-line.ts'
import { freeBytesOf } from '../server/disk-space.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { examine, withoutFullStop } from '../server/tools/doctor.ts'

readArguments('npm run doctor', { maxWords: 0 })
const notices = prepareProcess()
const findings = [
  { of: '設定ファイル', faults: notices.map(withoutFullStop), note: null },
  ...(await examine(process.env, { now: Date.now(), freeBytes: freeBytesOf })),
]
for (const { of, faults, note } of findings) {
  if (faults.length === 0) console.log(`○ ${of}${note ? `（${note}）` : ''}`)
  for (const fault of faults) console.log(`× ${of}: ${fault}。`)
}
const count = findings.reduce((all, { faults }) => all + faults.length, 0)
console.log(count === 0 ? '問題は見つかりませんでした。' : `問題が${count}件あります。`)
process.exit(count === 0 ? 0 : 1)
