import fc from 'fast-check'
import type { Sql } from '../../src/postgres/client.ts'
import { insertEntity, insertVintages, type Vintage } from '../features/companies/fixtures.ts'

/** What may differ of a company that a key does not see. */
export interface Unseen {
  readonly year: number
  readonly metric: 'revenue' | 'roe' | 'assets'
  /** 0 the year, 2 a quarter of it. */
  readonly fp: 0 | 2
  readonly value: number
  /** A later filing changes the value. */
  readonly restated: number | null
}

const lastDay = (year: number, fp: 0 | 2) => (fp === 0 ? `${year}-12-31` : `${year}-06-30`)

export const vintagesOf = (
  ticker: string,
  { year, metric, fp, value, restated }: Unseen,
): readonly Vintage[] => {
  const start = metric === 'assets' ? null : fp === 0 ? `${year}-01-01` : `${year}-04-01`
  const filed = fp === 0 ? `${year + 1}-02-1${fp}` : `${year}-08-10`
  const first: Vintage = [metric, fp, year, start, lastDay(year, fp), filed, value, `${ticker}-${year}-${fp}`]
  if (restated === null) return [first]
  const day = fp === 0 ? `${year + 1}-03-20` : `${year}-09-20`
  return [
    first,
    [metric, fp, year, start, lastDay(year, fp), day, restated, `${ticker}-${year}-${fp}-amended`],
  ]
}

const value = fc.oneof(fc.constantFrom(0.1, 100, 1e9), fc.double({ min: -1e12, max: 1e12, noNaN: true }))

/** Figures of the given years, each at most once. */
export const unseenOf = (years: readonly number[]): fc.Arbitrary<Unseen[]> =>
  fc.uniqueArray(
    fc.record({
      year: fc.constantFrom(...years),
      metric: fc.constantFrom('revenue' as const, 'roe' as const, 'assets' as const),
      fp: fc.constantFrom(0 as const, 2 as const),
      value,
      restated: fc.option(value, { nil: null }),
    }),
    { maxLength: 10, selector: ({ year, metric, fp }) => `${year} ${metric} ${fp}` },
  )

const everyFigure = [2023, 2024, 2025].flatMap(year =>
  (['revenue', 'roe', 'assets'] as const).map(metric => ({ year, metric, fp: 0 as const })),
)

/** Companies C1 to C8 of market US in this order, each with figures of 2023 to 2025 that grow with its number, and changes of those of the
 * even ones. All state an SIC code that begins with 7. */
export async function insertGroup(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const group = new Map<string, number>()
  for (let n = 1; n <= 8; n++) {
    const ticker = `C${n}`
    const id = await insertEntity(sql, { market: 'US', issuerId: `${n}`, ticker, name: `Company ${n}` })
    group.set(ticker, id)
    for (const figure of everyFigure) {
      const base = n * 100 + (figure.year - 2020)
      const restated = n % 2 === 0 && figure.year === 2025 ? base + 7 : null
      await insertVintages(sql, id, vintagesOf(ticker, { ...figure, value: base, restated }))
    }
  }
  await sql`update filing set sector = 'SIC 7372 Services-Prepackaged Software'`
  return group
}

/** Replaces figures of a company, without a new data version: nothing but its figures may differ.
 *
 * @param years whose figures are replaced; null: all */
export async function replaceFigures(
  sql: Sql,
  ticker: string,
  id: number,
  figures: readonly Unseen[],
  years: readonly number[] | null = null,
): Promise<void> {
  const ofYears = years === null ? sql`` : sql`and fy = any(${[...years]}::int[])`
  await sql`delete from fact where entity_id = ${id} ${ofYears}`
  for (const figure of figures) await insertVintages(sql, id, vintagesOf(ticker, figure))
  await sql`
    update fact set check_state = nullif((fy + metric_id + round(abs(value)))::bigint % 4, 0)::smallint
    where entity_id = ${id}`
}

/** An answer without what differs between two equal requests. */
export interface Asked {
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const ofRequest = /^(date|x-request-id|x-ratelimit-.*|ratelimit.*|set-cookie)$/

export async function ask(
  url: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Asked> {
  const response = await fetch(url + path, {
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  const text = (await response.text()).replaceAll(/"request_id":"[^"]*"/g, '')
  const kept = [...response.headers].filter(([name]) => !ofRequest.test(name))
  return {
    path,
    status: response.status,
    headers: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
    text: text.replaceAll(response.headers.get('x-request-id') ?? '\0', ''),
  }
}

const maxPages = 12

/** The page and those after it. */
export async function askPages(url: string, path: string, headers: Record<string, string>): Promise<Asked[]> {
  const pages: Asked[] = []
  let cursor = ''
  while (pages.length < maxPages) {
    const page = await ask(url, `${path}${cursor}`, headers)
    pages.push(page)
    const next = page.headers['x-next-cursor']
    if (next === undefined) return pages
    cursor = `&cursor=${next}`
  }
  throw new Error(`${path} has more than ${maxPages} pages.`)
}
