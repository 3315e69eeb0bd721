// Hyphens stand between the digits alone.
export const TELEPHONE = /(\+?\d[\d-]{8,})/

/** Links each number in a text of `formatTelephones`. */
export function Telephones({ text }: { text: string }) {
  return text.split(TELEPHONE).map((part, index) =>
    index % 2 ? (
      <a key={index} href={`tel:${part.replaceAll('-', '')}`}>
        {part}
      </a>
    ) : (
      part
    ),
  )
}
