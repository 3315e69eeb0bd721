import { readFileSync } from 'node:fs'
import type { Transaction } from 'kysely'
import { type Box, boxes } from '../../app/media/image.ts'
import { type EncodedImage, encodeImage, insertImage } from '../../app/media/images.server.ts'
import type { Tables } from '../../db/tables.ts'
import { type ExportFile, kindOf } from './import-documents.ts'
import type { ImportedDocument, Note } from './import-reading.ts'

/** Images of cards, encoded before anything is written, because each takes about a second. */
export type Pictures = {
  /** Stores the image of a URL and returns its URL on this site, or '' with a note if there is none. */
  store(trx: Transaction<Tables>, url: string, note: Note): Promise<string>
  unused: ExportFile[]
}

type Way = { fresh: ImportedDocument[]; files: ExportFile[]; at: string; onProgress: (sentence: string) => void }

/** Encodes the images of `fresh` documents. Other documents only mark their files as used. */
export async function readyPictures(
  documents: ImportedDocument[],
  { fresh, files, at, onProgress }: Way,
): Promise<Pictures> {
  const filesOf = finderIn(files)
  const urls = new Map<ExportFile, string>()
  const ready = new Map<ExportFile, EncodedImage | { message: string }>()
  for (const [file, box] of boxesOf(fresh, filesOf)) {
    onProgress(`写真 ${file.path}`)
    ready.set(file, await readyOrNot(file, box))
  }
  const used = new Set(documents.flatMap(picturesOf).flatMap(({ url }) => filesOf(url)))

  return {
    unused: files.filter((file) => !used.has(file)),
    async store(trx, url, note) {
      // Images under /art/ belong to the program and have the same URL on every site.
      if (url === '' || url.startsWith('/art/')) return url
      const [file, ...others] = filesOf(url)
      const shown = `写真「${url.slice(0, 200)}」`
      const picture = file && ready.get(file)
      if (!picture) {
        note(`${shown}が見つかりません。写真なしで取り込みます。`)
        return ''
      }
      const different = others.filter((other) => !isSame(other, file)).map(({ path }) => path)
      if (different.length > 0)
        note(`${shown}と思われるファイルがほかにもあります（${different.join('、')}）。${file.path} を取り込みます。`)
      if ('message' in picture) {
        note(`${shown}（${file.path}）を取り込めません。写真なしで取り込みます。${picture.message}`)
        return ''
      }
      const stored = urls.get(file) ?? (await keepNamed(trx, picture, file, at))
      urls.set(file, stored)
      return stored
    },
  }
}

// Restores the name of an image that this site exported, unless another image has that name.
async function keepNamed(trx: Transaction<Tables>, picture: EncodedImage, { path }: ExportFile, at: string) {
  const { name = '' } = exportedIn(path) ?? {}
  const taken = await trx.selectFrom('pictures').select('name').where('name', '=', name).executeTakeFirst()
  const isKept = name !== '' && !taken
  await insertImage(trx, isKept ? { ...picture, name } : picture, { accountId: null, at })
  return isKept ? picture.url.replace(picture.name, name) : picture.url
}

function exportedIn(path: string) {
  const [, name, width] = /([0-9a-f]{32})-(\d+)\.jpg$/.exec(path) ?? []
  const box = (Object.keys(boxes) as Box[]).find((each) => boxes[each].width === Number(width))
  return name && box ? { name, box } : null
}

// Slides of the home page fill the screen. Their images need that size even if a card uses them too.
function boxesOf(documents: ImportedDocument[], filesOf: FilesOf) {
  const found = new Map<ExportFile, Box>()
  for (const { url, box } of documents.flatMap(picturesOf)) {
    const [file] = filesOf(url)
    if (file && found.get(file) !== 'screen') found.set(file, exportedIn(file.path)?.box ?? box)
  }
  return found
}

async function readyOrNot({ file }: ExportFile, box: Box) {
  try {
    return await encodeImage(readFileSync(file), box)
  } catch {
    // The file cannot be opened, or the encoder crashes.
    return { message: 'ファイルを開けないか、写真として開けません。' }
  }
}

function picturesOf(document: ImportedDocument) {
  const pictures = kindOf(document.collection)?.picturesOf?.(document) ?? []
  return pictures.filter(({ url }) => url !== '')
}

type FilesOf = (url: string) => ExportFile[]

// Finds the files that share the longest end of the URL's path, at least the file name. URLs under /art/ have none.
function finderIn(files: ExportFile[]): FilesOf {
  const byName = Map.groupBy(files, ({ path }) => partsOf(path)[0])
  return (url) => {
    const wanted = partsOf(addressed(url))
    const named = url.startsWith('/art/') ? [] : (byName.get(wanted[0]) ?? [])
    const shared = named.map(({ path }) => sharedEnd(partsOf(path), wanted))
    return named.filter((_, place) => shared[place] === Math.max(...shared))
  }
}

// Storage services encode a whole path into the last segment of a URL.
function addressed(url: string) {
  const path = url.replace(/[?#].*$/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function partsOf(path: string) {
  return path.normalize('NFC').toLowerCase().split('/').reverse()
}

function sharedEnd(one: string[], other: string[]) {
  const differs = one.findIndex((part, place) => part !== other[place])
  return differs === -1 ? one.length : differs
}

function isSame(one: ExportFile, other: ExportFile) {
  try {
    return readFileSync(one.file).equals(readFileSync(other.file))
  } catch {
    return false
  }
}
