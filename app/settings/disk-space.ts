/** The free and the required bytes on the disk that contains the site's data. */
export type Space = { free: number; needed: number }

export function shortageSentence({ free, needed }: Space) {
  if (free >= needed) return null
  const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2).toLocaleString('ja')} MB`
  return `ディスクの空きが ${inMegabytes(free)} です。${inMegabytes(needed)} 以上になるよう、不要なファイルを削除してください。`
}
