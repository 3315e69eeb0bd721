/** How many bytes are free where the site keeps its data, and how many it should have. */
export type Space = { free: number; needed: number }

/** What is said where there is too little room; null where there is enough. */
export function shortageInWords({ free, needed }: Space) {
  if (free >= needed) return null
  const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2).toLocaleString('ja')} MB`
  return `ディスクの空きが ${inMegabytes(free)} です。${inMegabytes(needed)} 以上になるよう、要らないファイルを消してください。`
}
