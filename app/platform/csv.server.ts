// Programs for spreadsheets run a cell as a formula if its text begins with one of these characters in any width.
const FORMULA = /^[=+\-@\t\r＝＋－＠]/

/** Formats a CSV file (RFC 4180) with a BOM, without which Excel would not read UTF-8. */
function formatCsv(rows: readonly (readonly string[])[]) {
  const cell = (text: string) => `"${text.replace(FORMULA, "'$&").replaceAll('"', '""')}"`
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
}

/** Returns a CSV file as a download that no cache stores. `name` is the file name without its extension. */
export function csvResponse(name: string, rows: readonly (readonly string[])[]) {
  // Windows forbids these characters in file names. RFC 5987 forbids the others, which encodeURIComponent leaves.
  const fileName = encodeURIComponent(name.replace(/[\\/:*?"<>|\p{Cc}\p{Cs}]/gu, '_')).replace(/['()]/g, escape)
  return new Response(formatCsv(rows), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="list.csv"; filename*=UTF-8''${fileName}.csv`,
      'cache-control': 'private, no-store',
    },
  })
}
