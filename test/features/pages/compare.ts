import { expect } from 'bun:test'
import { readPage, type ShownCell } from './readPage.ts'

/** A visitor of pages, and the key that opens the same on the API. */
export interface Reader {
  readonly key: string
  /** Empty: signed out. */
  readonly cookie: string
}

export const signedOut: Reader = { key: 'demo', cookie: '' }

interface Table {
  readonly metrics: readonly string[]
  readonly data: readonly Readonly<Record<string, string | number | null>>[]
}

let address = 0

export function askApi(url: string, path: string, { key }: Pick<Reader, 'key'>): Promise<Response> {
  const forwarded = `10.78.${++address >> 8}.${address & 255}`
  return fetch(url + path, { headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': forwarded } })
}

const fundamentals = async (url: string, query: string, reader: Reader) => {
  const response = await askApi(url, `/api/v1/fundamentals?${query}`, reader)
  return { status: response.status, body: await response.json() }
}

export const seePage = (url: string, path: string, { cookie }: Reader) =>
  readPage(url + path, cookie === '' ? {} : { Cookie: cookie })

/** The figures that the key gets, in no particular order: `revenue FY 2009 2009-09-26 42905000000`. */
function figuresOf(table: Table): string[] {
  return table.data
    .flatMap(row =>
      table.metrics
        .filter(metric => !metric.endsWith('_ytd') && row[metric] !== null)
        .map(metric => `${metric} ${row.fp} ${row.fy} ${row.end} ${row[metric]}`),
    )
    .sort()
}

const shownIn = (cells: readonly ShownCell[]) =>
  cells.map(({ metric, period, end, value }) => `${metric} ${period} ${end} ${value}`).sort()

const periods = { years: 'FY', quarters: 'Q1,Q2,Q3,Q4', ttm: 'TTM' } as const
export type Tab = keyof typeof periods
export const tabs = Object.keys(periods) as Tab[]

/** Compares a company's page with the answer to its visitor's key: the same figures, or the same refusal. Returns how many figures. */
export async function compareCompany(
  url: string,
  reader: Reader,
  { ticker, show, asOf }: { ticker: string; show: Tab; asOf: string | null },
): Promise<{ status: number; figures: number }> {
  const day = asOf === null ? '' : `&as_of=${asOf}`
  const [page, answer] = await Promise.all([
    seePage(url, `/companies/${ticker}?show=${show}${day}`, reader),
    fundamentals(url, `ticker=${ticker}&layout=wide&fp=${periods[show]}${day}`, reader),
  ])
  const about = [ticker, show, asOf]
  expect([...about, page.status]).toEqual([...about, answer.status])
  const { status } = page
  if (status !== 200) {
    expect([...about, page.html.includes('data-v='), page.html.includes('id="states"')]).toEqual([
      ...about,
      false,
      false,
    ])
    return { status, figures: 0 }
  }
  const allowed = figuresOf(answer.body)
  const shown = shownIn(page.cells)
  // A long history shows its latest periods, all of which the key gets, too.
  const isPart = page.html.includes('Earlier periods, up to ')
  const expected = isPart ? allowed.filter(figure => shown.includes(figure)) : allowed
  expect([...about, shown]).toEqual([...about, expected])
  await compareSource(url, reader, page.html, `ticker=${ticker}&fp=${periods[show]}`)
  return { status, figures: shown.length }
}

/** As the script of a company's page reads it: the stops between which it is shown, the text, the former text, title and value. */
export type CellState = [
  from: number,
  until: number,
  text: string,
  former: string | null,
  title: string,
  value: number,
]

/** What a key gets of all days, by request: it is the same for each day of a page. */
const sources = new Map<string, ReadonlySet<number>>()

async function valuesOf(url: string, reader: Reader, query: string): Promise<ReadonlySet<number>> {
  const { body } = await fundamentals(url, query, reader)
  return new Set(body.data.map(({ v }: { v: number }) => v))
}

/** Every value in the source of a page, those for the script and of hidden cells included, is one that the key gets of some day. */
async function compareSource(url: string, reader: Reader, html: string, query: string): Promise<void> {
  const text = /<script type="application\/json" id="states">(.*?)<\/script>/.exec(html)?.[1]
  const rows: CellState[][][] = text === undefined ? [] : JSON.parse(text).rows
  const values = [
    ...rows.flat(2).map(([, , , , , value]) => value),
    ...[...html.matchAll(/data-v="([^"]*)"/g)].map(([, value]) => Number(value)),
  ]
  if (values.length === 0) return
  const about = `${url} ${reader.key} ${query}`
  const allowed = sources.get(about) ?? (await valuesOf(url, reader, query))
  sources.set(about, allowed)
  expect([query, values.filter(value => !allowed.has(value))]).toEqual([query, []])
}
