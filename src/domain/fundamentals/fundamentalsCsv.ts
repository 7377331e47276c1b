import { csvCell, csvLine } from '../../model/csv.ts'
import { type FundamentalsList, fundamentalsColumns } from '../../model/fundamentals.ts'

/** The rows as RFC 4180, a header first, columns in the order of the JSON row. */
export function fundamentalsCsv(list: FundamentalsList): string {
  let text = csvLine(fundamentalsColumns)
  const tail = `,${csvCell(list.ticker)},${csvCell(list.issuer_id)},`
  for (const row of list.data) {
    text += `${csvCell(row.m)},${row.fy},${row.fp},${row.end},${row.filed},${row.v},${csvCell(row.u)}${tail}${csvCell(row.source)}\r\n`
  }
  return text
}
