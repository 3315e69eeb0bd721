import { readFileSync } from 'node:fs'
import type { Transaction } from 'kysely'
import { type Box, boxes } from '../../app/media/image.ts'
import { keepPicture, type ReadyPicture, readyPicture } from '../../app/media/images.server.ts'
import type { Tables } from '../../db/tables.ts'
import { itemsIn, pictureIn } from './import-cards.ts'
import { type ExportFile, isCards } from './import-documents.ts'
import { picturesOfPage } from './import-pages.ts'
import { type ImportedDocument, type Note, textOf } from './import-reading.ts'

/** The pictures that cards name, made ready before anything is written: that takes about a second for each. */
export type Pictures = {
  /** Stores the picture of an address and gives the one that it has here; '', noted, where there is none. */
  store(trx: Transaction<Tables>, url: string, note: Note): Promise<string>
  /** The files that no document names. */
  unused: ExportFile[]
}

type Way = { fresh: ImportedDocument[]; files: ExportFile[]; at: string; onProgress: (sentence: string) => void }

/** Makes the pictures of `fresh` documents ready; of the others it only knows that their files are used. */
export async function readyPictures(
  documents: ImportedDocument[],
  { fresh, files, at, onProgress }: Way,
): Promise<Pictures> {
  const filesOf = finderIn(files)
  const urls = new Map<ExportFile, string>()
  const ready = new Map<ExportFile, ReadyPicture | { message: string }>()
  for (const [file, box] of boxesOf(fresh, filesOf)) {
    onProgress(`写真 ${file.path}`)
    ready.set(file, await readyOrNot(file, box))
  }
  const used = new Set(documents.flatMap(urlsIn).flatMap(filesOf))

  return {
    unused: files.filter((file) => !used.has(file)),
    async store(trx, url, note) {
      // The site's own drawings are where they were.
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

// A picture of this site's export has its name again, unless the site has another picture of that name.
async function keepNamed(trx: Transaction<Tables>, picture: ReadyPicture, { path }: ExportFile, at: string) {
  const { name = '' } = exportedIn(path) ?? {}
  const taken = await trx.selectFrom('pictures').select('name').where('name', '=', name).executeTakeFirst()
  const isKept = name !== '' && !taken
  await keepPicture(trx, isKept ? { ...picture, name } : picture, { accountId: null, at })
  return isKept ? picture.url.replace(picture.name, name) : picture.url
}

function exportedIn(path: string) {
  const [, name, width] = /([0-9a-f]{32})-(\d+)\.jpg$/.exec(path) ?? []
  const box = (Object.keys(boxes) as Box[]).find((each) => boxes[each].width === Number(width))
  return name && box ? { name, box } : null
}

// What a slide of the home page shows is as large as the screen that it fills, on a card as well.
function boxesOf(documents: ImportedDocument[], filesOf: FilesOf) {
  const found = new Map<ExportFile, Box>()
  for (const document of documents) {
    const wide = ['home', 'pages'].includes(document.collection) ? 'screen' : 'card'
    const portraits = portraitsIn(document)
    for (const url of urlsIn(document)) {
      const [file] = filesOf(url)
      const needed = portraits.includes(url) ? 'portrait' : wide
      if (file && found.get(file) !== 'screen') found.set(file, exportedIn(file.path)?.box ?? needed)
    }
  }
  return found
}

async function readyOrNot({ file }: ExportFile, box: Box) {
  try {
    return await readyPicture(readFileSync(file), box)
  } catch {
    // A file that cannot be opened, or one that brings the encoder down.
    return { message: 'ファイルを開けないか、写真として開けません。' }
  }
}

function urlsIn(document: ImportedDocument) {
  if (document.collection === 'pages') return picturesOfPage(document)
  if (!isCards(document)) return []
  const images = itemsIn(document, () => {}).map((item) => pictureIn(item, () => {}))
  return [...images, ...portraitsIn(document)].filter((url) => url !== '')
}

function portraitsIn(document: ImportedDocument) {
  if (!isCards(document)) return []
  return itemsIn(document, () => {}).map((item) => textOf(item, 'portraitImage', () => {}))
}

type FilesOf = (url: string) => ExportFile[]

// Those that share most of an address's end, at least the file's name; none for the site's own drawings.
function finderIn(files: ExportFile[]): FilesOf {
  const byName = Map.groupBy(files, ({ path }) => partsOf(path)[0])
  return (url) => {
    const wanted = partsOf(addressed(url))
    const named = url.startsWith('/art/') ? [] : (byName.get(wanted[0]) ?? [])
    const shared = named.map(({ path }) => sharedEnd(partsOf(path), wanted))
    return named.filter((_, place) => shared[place] === Math.max(...shared))
  }
}

// A storage service writes a whole path into the last part of an address.
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
