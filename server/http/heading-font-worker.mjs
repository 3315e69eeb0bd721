// Plain JavaScript for a worker. HarfBuzz's wrapper would copy the whole source for each font: 80 MB more.
import { open, readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { compress } from 'wawoff2'

// On Linux this sets the priority of this thread only, so that requests come first.
setPriority(10)

// Enumeration values of the C API, https://harfbuzz.github.io/harfbuzz-hb-subset.html
const LAYOUT_FEATURES = 6
const NO_HINTING = 1
const READONLY = 1

const { instance } = await WebAssembly.instantiate(
  await readFile(resolveModule('harfbuzzjs/dist/harfbuzz-subset.wasm')),
)
const hb = instance.exports
hb._initialize()
const source = await readSource()
const features = ['palt', 'vert', 'vpal', 'kern'].map((tag) => Buffer.from(tag).readInt32BE())

parentPort?.on('message', async (text) => parentPort?.postMessage(Buffer.from(await compress(subset(text)))))

async function readSource() {
  const file = await open(
    resolveModule('@expo-google-fonts/shippori-mincho/600SemiBold/ShipporiMincho_600SemiBold.ttf'),
  )
  const { size } = await file.stat()
  const start = hb.malloc(size)
  // Reads into WebAssembly memory, because a copy would wait for garbage collection.
  const { bytesRead } = await file.read(new Uint8Array(hb.memory.buffer, start, size))
  await file.close()
  if (bytesRead < size) throw new Error(`Font file truncated: got ${bytesRead} bytes, expected ${size}`)
  return hb.hb_face_create(hb.hb_blob_create(start, size, READONLY, 0, 0), 0)
}

function subset(text) {
  const input = hb.hb_subset_input_create_or_fail()
  hb.hb_subset_input_set_flags(input, NO_HINTING)
  const layout = hb.hb_subset_input_set(input, LAYOUT_FEATURES)
  hb.hb_set_clear(layout)
  for (const feature of features) hb.hb_set_add(layout, feature)
  const characters = hb.hb_subset_input_unicode_set(input)
  for (const character of text) hb.hb_set_add(characters, character.codePointAt(0))

  const subsetFace = hb.hb_subset_or_fail(source, input)
  if (!subsetFace) throw new Error(`Font subset failed for ${text.length} characters; expected a HarfBuzz face`)
  const blob = hb.hb_face_reference_blob(subsetFace)
  const font = new Uint8Array(hb.memory.buffer, hb.hb_blob_get_data(blob, 0), hb.hb_blob_get_length(blob))
  // The next subset overwrites the memory that is freed below.
  const copy = font.slice()
  hb.hb_blob_destroy(blob)
  hb.hb_face_destroy(subsetFace)
  hb.hb_subset_input_destroy(input)
  return copy
}

function resolveModule(name) {
  return new URL(import.meta.resolve(name))
}
