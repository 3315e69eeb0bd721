import { readFileSync } from 'node:fs'
import { type Box, boxes } from '../../app/media/image.ts'
import { type EncodedImage, encodeImage, insertImage } from '../../app/media/images.server.ts'
import type { Trx } from '../../db/tables.ts'
import { documentTypeOf, type ExportFile } from './import-documents.ts'
import type { ImportedDocument, Note } from './import-reading.ts'

export type ImageImport = Awaited<ReturnType<typeof encodeImages>>

type ImageOptions = {
  fresh: ImportedDocument[]
  files: ExportFile[]
  at: string
  onProgress: (sentence: string) => void
}

/**
 * Encodes the images of the `fresh` documents before anything is written, because each image takes about a second. Other
 * documents only mark their files as used.
 */
export async function encodeImages(documents: ImportedDocument[], { fresh, files, at, onProgress }: ImageOptions) {
  const filesOf = createFinder(files)
  const urls = new Map<ExportFile, string>()
  const encoded = new Map<ExportFile, EncodedImage | { message: string }>()
  for (const [file, box] of boxesOf(fresh, filesOf)) {
    onProgress(`写真 ${file.path}`)
    encoded.set(file, await tryEncode(file, box))
  }
  const used = new Set(documents.flatMap(imagesOf).flatMap(({ url }) => filesOf(url)))

  return {
    unused: files.filter((file) => !used.has(file)),
    async store(trx: Trx, url: string, note: Note) {
      // Images under /art/ belong to the program and have the same URL on every site.
      if (url === '' || url.startsWith('/art/')) return url
      const [file, ...others] = filesOf(url)
      const label = `写真「${url.slice(0, 200)}」`
      const image = file && encoded.get(file)
      if (!image) {
        note(`${label}が見つかりません。写真なしで取り込みます。`)
        return ''
      }
      const different = others.filter((other) => !isSame(other, file)).map(({ path }) => path)
      if (different.length > 0)
        note(`${label}と思われるファイルがほかにもあります（${different.join('、')}）。${file.path} を取り込みます。`)
      if ('message' in image) {
        note(`${label}（${file.path}）を取り込めません。写真なしで取り込みます。${image.message}`)
        return ''
      }
      const stored = urls.get(file) ?? (await storeNamed(trx, image, file, at))
      urls.set(file, stored)
      return stored
    },
  }
}

async function storeNamed(trx: Trx, image: EncodedImage, { path }: ExportFile, at: string) {
  const { name = '' } = exportedIn(path) ?? {}
  const existing = await trx.selectFrom('pictures').select('name').where('name', '=', name).executeTakeFirst()
  const hasOldName = name !== '' && !existing
  await insertImage(trx, hasOldName ? { ...image, name } : image, { accountId: null, at })
  return hasOldName ? image.url.replace(image.name, name) : image.url
}

function exportedIn(path: string) {
  const [, name, width] = /([0-9a-f]{32})-(\d+)\.jpg$/.exec(path) ?? []
  const box = (Object.keys(boxes) as Box[]).find((each) => boxes[each].width === Number(width))
  return name && box ? { name, box } : null
}

// Slides of the home page fill the screen. Their images need that size even if a card uses them too.
function boxesOf(documents: ImportedDocument[], filesOf: FilesOf) {
  const found = new Map<ExportFile, Box>()
  for (const { url, box } of documents.flatMap(imagesOf)) {
    const [file] = filesOf(url)
    if (file && found.get(file) !== 'screen') found.set(file, exportedIn(file.path)?.box ?? box)
  }
  return found
}

async function tryEncode({ file }: ExportFile, box: Box) {
  try {
    return await encodeImage(readFileSync(file), box)
  } catch {
    // The encoder may crash.
    return { message: 'ファイルを開けないか、写真として開けません。' }
  }
}

function imagesOf(document: ImportedDocument) {
  const images = documentTypeOf(document.collection)?.imagesOf?.(document) ?? []
  return images.filter(({ url }) => url !== '')
}

type FilesOf = (url: string) => ExportFile[]

// Finds the files whose path has the longest common end with the URL, at least the file name. URLs under /art/ have no
// file.
function createFinder(files: ExportFile[]): FilesOf {
  const byName = Map.groupBy(files, ({ path }) => partsOf(path)[0])
  return (url) => {
    const wanted = partsOf(decodedPath(url))
    const candidates = url.startsWith('/art/') ? [] : (byName.get(wanted[0]) ?? [])
    const sharedParts = candidates.map(({ path }) => sharedEnd(partsOf(path), wanted))
    return candidates.filter((_, place) => sharedParts[place] === Math.max(...sharedParts))
  }
}

// Storage services encode a whole path into the last segment of a URL.
function decodedPath(url: string) {
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

function sharedEnd(a: string[], b: string[]) {
  const firstDifference = a.findIndex((part, place) => part !== b[place])
  return firstDifference === -1 ? a.length : firstDifference
}

function isSame(a: ExportFile, b: ExportFile) {
  try {
    return readFileSync(a.file).equals(readFileSync(b.file))
  } catch {
    return false
  }
}
