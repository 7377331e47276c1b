import { isoDate } from '../../../../src/dates.ts'

export interface PageRow {
  readonly isHead: boolean
  readonly concept: string
  readonly cells: readonly string[]
}

/** The rows of a page that the SEC's renderer made of a statement. */
export function rowsOfPage(html: string): { readonly title: string; readonly rows: readonly PageRow[] } {
  const table = html.slice(0, html.indexOf('</table>'))
  const plain = (cell: string) => decoded(cell.replace(/<br>/g, ' ').replace(/<[^>]+>/g, ''))
  const rows = [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) => ({
    isHead: row.includes('<th'),
    concept: /defref_([\w=-]+)/.exec(row)?.[1] ?? '',
    cells: [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => plain(cell)),
  }))
  return { title: rows[0].cells[0], rows }
}

export const decoded = (markup: string) =>
  markup
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()

/** `Mar. 29, 2025` */
export function dayOfPage(day: number): string {
  const [year, month, date] = isoDate(day).split('-').map(Number)
  const months = 'Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sep. Oct. Nov. Dec.'.split(' ')
  return `${months[month - 1]} ${String(date).padStart(2, '0')}, ${year}`
}
