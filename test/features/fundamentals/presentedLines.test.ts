import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import { callers } from '../../http/callers.ts'
import { realServer } from '../../http/realServer.ts'
import { readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { dayOfPage, rowsOfPage } from '../../ingest/registers/us/rendering.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'

setDefaultTimeout(120_000)

/* fields=statement,line,label on the shipped sample, which has some of its filings in full (sample/filings.txt). */

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)

async function ask(path: string, key = keys.personal ?? ''): Promise<Response> {
  const response = await fetch(`${server.url}/api/v1/${path}`, { headers: { Authorization: key } })
  expect([path, response.status]).toEqual([path, 200])
  return response
}

const rowsFor = async (query: string, key?: string): Promise<FundamentalsRow[]> =>
  (await (await ask(`fundamentals?${query}`, key)).json()).data

const all = 'fields=accession,tag,start,statement,line,label'

const rendered = sharedPath('registers/us/filings/0000320193-25-000057-rendered')
/** The pages of the statements, as `FilingSummary.xml` names them. */
const pages = { income: 'R2', comprehensive: 'R3', balance: 'R4', cash_flow: 'R7' } as const

describe.skipIf(rendered === null)("Apple's 10-Q of 2025-05-02 as the SEC renders it", () => {
  test('every figure on its statements has the label of its line, and lines are in the order of the page', async () => {
    const rows = await rowsFor(`ticker=AAPL&as_of=2025-05-02&from=2024-09-01&${all}`)
    const own = rows.filter(
      ({ accession, kind, m }) =>
        accession === '0000320193-25-000057' && kind === 'stated' && m !== 'shares_outstanding',
    )
    expect(own.length).toBeGreaterThan(25)
    for (const [statement, page] of nonEmpty(Object.entries(pages))) {
      const { rows: onPage, title } = rowsOfPage(readFileSync(`${rendered}/${page}.htm`, 'utf8'))
      const body = onPage.filter(({ isHead, concept }) => !isHead && !concept.includes('='))
      const found = own
        .filter(row => row.statement === statement)
        .map(row => {
          const at = body.findIndex(
            ({ concept, cells }) =>
              concept === (row.tag ?? '').replace(':', '_') &&
              cells.slice(1).some(cell => sizeOf(cell, row.u, title) === Math.abs(row.v)),
          )
          expect([row.m, row.label]).toEqual([row.m, body.at(at)?.cells[0]])
          expect(at).toBeGreaterThanOrEqual(0)
          return { line: row.line ?? 0, at }
        })
      const byLine = found.toSorted((a, b) => a.line - b.line)
      expect(byLine.map(({ at }) => at)).toEqual(byLine.map(({ at }) => at).toSorted((a, b) => a - b))
    }
    // Only figures of the notes are on none of the pages.
    const onNone = own.filter(({ statement }) => statement === null)
    const shown = new Set(
      Object.values(pages).flatMap(page =>
        rowsOfPage(readFileSync(`${rendered}/${page}.htm`, 'utf8')).rows.map(({ concept }) => concept),
      ),
    )
    expect(onNone.filter(({ tag }) => shown.has((tag ?? '').replace(':', '_')))).toEqual([])
    const revenue = own.find(
      ({ m, start, end }) => m === 'revenue' && start === '2024-12-29' && end === '2025-03-29',
    )
    expect(revenue).toMatchObject({ v: 95_359_000_000, statement: 'income', label: 'Net sales' })
    expect(dayOfPage(Date.parse('2025-03-29') / 86_400_000)).toBe('Mar. 29, 2025')
  })
})

/** The number in a cell of a page, without its sign: lines may show it reversed. */
function sizeOf(cell: string, unit: string, title: string): number {
  const digits = Number(cell.replace(/[$,()\s]/g, ''))
  const scaled = title.match(unit === 'shares' ? /shares in (\w+)/ : /\$ in (\w+)/)?.[1]
  const scale = unit.endsWith('/shares') ? 1 : scaled === 'Millions' ? 1e6 : scaled === 'Thousands' ? 1e3 : 1
  return digits * scale
}

const set = await readZipFiles('fsds/2009q3.zip')

describe.skipIf(set === null)('2009q3 as pre.txt and num.txt state it', () => {
  // The filings of 2009q3 in sample/filings.txt, by the number of the company.
  const filings = [
    ['0000320193', '0001193125-09-153165'],
    ['0000070858', '0001193125-09-168935'],
    ['0000004977', '0000950123-09-032199'],
    ['0000915912', '0000950123-09-032702'],
    ['0000004904', '0000004904-09-000117'],
    ['0001018724', '0001193125-09-154174'],
    ['0000012927', '0001193125-09-152905'],
    ['0001364742', '0001193125-09-168969'],
    ['0000066740', '0001104659-09-046329'],
    ['0000009892', '0001193125-09-155929'],
  ] as const
  const kinds: Record<string, string> = {
    IS: 'income',
    BS: 'balance',
    CF: 'cash_flow',
    EQ: 'equity',
    CI: 'comprehensive',
  }
  const lines = recordsOf(set ?? [], 'pre.txt').filter(({ inpth, stmt }) => inpth === '0' && stmt in kinds)

  test.each(filings)(
    '%s, %s: statement and label of each figure, in the order of the lines',
    async (id, accession) => {
      const rows = (await rowsFor(`ticker=${id}&as_of=2009-12-31&${all}`)).filter(
        row => row.accession === accession && row.kind === 'stated',
      )
      const ofFiling = lines.filter(({ adsh }) => adsh === accession)
      const placed = rows.filter(({ statement }) => statement !== null)
      expect(placed.length).toBeGreaterThan(5)
      for (const { statement, label, tag } of placed) {
        const tags = ofFiling.filter(
          line => kinds[line.stmt] === statement && tag?.split(':')[1] === line.tag,
        )
        expect(tags.map(({ plabel }) => plabel)).toContain(label ?? '')
      }
      for (const statement of new Set(placed.map(row => row.statement))) {
        const own = placed.filter(row => row.statement === statement)
        const order = own
          .map(row => ({
            line: row.line ?? 0,
            stated: ofFiling
              .filter(
                ({ stmt, plabel, tag }) =>
                  kinds[stmt] === statement && plabel === row.label && row.tag?.endsWith(`:${tag}`),
              )
              .map(({ line }) => Number(line)),
          }))
          .toSorted((a, b) => a.line - b.line)
        let before = 0
        for (const { stated } of order) {
          const next = stated.find(line => line >= before)
          expect(next).toBeDefined()
          before = next ?? before
        }
      }
      // A figure without a line is on the face of no statement.
      const faces = new Set(ofFiling.map(({ tag }) => tag))
      const numbers = recordsOf(set ?? [], 'num.txt').filter(({ adsh }) => adsh === accession)
      const missing = rows.filter(
        ({ statement, tag, v }) =>
          statement === null &&
          faces.has(tag?.split(':')[1] ?? '') &&
          numbers.some(({ tag: stated, value }) => tag?.endsWith(`:${stated}`) && Number(value) === v),
      )
      expect(missing.map(({ m, end, v, tag }) => [m, end, v, tag])).toEqual([])
    },
  )
})

test('the line is the one that the statement of this filing alone shows', async () => {
  const accession = '0001193125-09-153165'
  const rows = (await rowsFor(`ticker=AAPL&as_of=2010-02-01&${all}`)).filter(
    row => row.accession === accession,
  )
  const placed = rows.filter(({ statement }) => statement !== null)
  expect(placed.length).toBeGreaterThan(15)
  const statements = new Map<string, StatementAnswer['data']>()
  for (const { statement, line, label, tag, v } of placed) {
    const name = statement ?? ''
    const path = `statements?ticker=AAPL&statement=${name}&view=as_filed&accession=${accession}&as_of=2010-02-01`
    const data = statements.get(name) ?? (await (await ask(path)).json()).data
    statements.set(name, data)
    const shown = data[(line ?? 0) - 1]
    expect([shown.line, shown.label, shown.tag]).toEqual([line, label, tag])
    expect(shown.cells.map((cell: { number: number | null } | null) => cell?.number)).toContain(v)
  }
})

test('a vintage has the line of its own filing, never that of a later one; what is derived has none', async () => {
  // The 10-Q of 2009-07-22 is on record with its statements; that of 2010-07-21, which restates the quarter, is not.
  const query = `ticker=AAPL&metric=revenue,net_margin&fp=Q3&fy=2009&as_of=2010-12-31&${all}`
  const rows = await rowsFor(query)
  expect(
    rows.map(({ m, accession, statement, line, label }) => [m, accession, statement, line, label]),
  ).toEqual([
    ['net_margin', '0001193125-09-153165', null, null, null],
    ['net_margin', '0001193125-10-162840', null, null, null],
    ['revenue', '0001193125-09-153165', 'income', 1, 'Net sales'],
    ['revenue', '0001193125-10-162840', null, null, null],
  ])
  // The 10-Q of 2025-05-02 presents the quarter of 2024, too, but the figure is that of the 10-Q of 2024-05-03.
  const [earlier] = await rowsFor(`ticker=AAPL&metric=revenue&fp=Q2&fy=2024&as_of=2025-12-31&${all}`)
  expect(earlier).toMatchObject({ v: 90_753_000_000, statement: null, line: null, label: null })
  expect(earlier.accession).not.toBe('0000320193-25-000057')
})

test('several companies have the lines of single requests, and a demo key sees those of its rows', async () => {
  const query = `view=latest&as_of=2009-12-31&${all}`
  const single = [...(await rowsFor(`ticker=BAC&${query}`)), ...(await rowsFor(`ticker=AMZN&${query}`))]
  const several = await rowsFor(`ticker=BAC,AMZN&${query}`)
  expect(several).toEqual(single)
  expect(several.filter(({ statement }) => statement === 'balance').length).toBeGreaterThan(4)
  const demo = await rowsFor(`ticker=AAPL&view=latest&as_of=2025-05-02&metric=revenue&${all}`, 'Bearer demo')
  expect(demo[0]).toMatchObject({
    accession: '0000320193-25-000057',
    label: 'Net sales',
    line: expect.any(Number),
  })
})
