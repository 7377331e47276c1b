import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import { sheetOf } from '../../src/features/fundamentals/sheet.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { callers } from './callers.ts'
import { realServer } from './realServer.ts'

setDefaultTimeout(180_000)

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)

const fetchRows = (query: string) =>
  fetch(`${server.url}/api/v1/fundamentals?${query}`, { headers: { Authorization: keys.personal ?? '' } })

const all = 'accession,form,tag,start,accepted_at,inputs,url,statement,line,label'
const apple = 'ticker=AAPL&as_of=2010-02-01&fy=2009&fp=FY'

// 10-K/A 0001193125-10-012091 of 2010-01-25; 10-K 0001193125-09-214859 of 2009-10-27.
test('a stated row names its filing, tag and first day, and where the register shows the filing', async () => {
  const { data } = await (await fetchRows(`${apple}&metric=revenue&fields=${all}`)).json()
  expect(data[1]).toMatchObject({
    accession: '0001193125-10-012091',
    form: '10-K/A',
    tag: 'us-gaap:SalesRevenueNet',
    start: '2008-09-28',
    kind: 'stated',
    inputs: null,
    url: 'https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm',
    statement: null,
    line: null,
    label: null,
  })
  // 10-K 0000320193-18-000145, accepted on 2018-11-05 at 08:01:40 in New York.
  const later = 'ticker=AAPL&as_of=2018-12-31&fy=2018&fp=FY&metric=revenue&fields=accepted_at,accession'
  expect((await (await fetchRows(later)).json()).data[0]).toMatchObject({
    accession: '0000320193-18-000145',
    accepted_at: '2018-11-05T13:01:40Z',
  })
  expect(data[0]).toMatchObject({ accession: '0001193125-09-214859', form: '10-K', until: '2010-01-25' })
})

test('a derived row names the filings that state its inputs', async () => {
  const rows = (await (await fetchRows(`${apple}&metric=net_margin&fields=inputs,tag`)).json()).data
  expect(rows.map((row: { inputs: string[]; tag: string | null }) => [row.inputs, row.tag])).toEqual([
    [['0001193125-09-214859'], null],
    [['0001193125-10-012091'], null],
  ])
  // Year (10-K of 2009-10-27) less nine months (10-Q of 2009-07-22).
  const query = 'ticker=AAPL&as_of=2009-12-31&metric=revenue&fy=2009&fp=Q4&fields=inputs,accession'
  const [quarter] = (await (await fetchRows(query)).json()).data
  expect(quarter.accession).toBe('0001193125-09-214859')
  expect(quarter.inputs).toEqual(['0001193125-09-153165', '0001193125-09-214859'])
})

test('without fields a row has no further columns, and a JSON row has the chosen ones in a fixed order', async () => {
  const plain = (await (await fetchRows(`${apple}&metric=revenue`)).json()).data[0]
  expect(Object.keys(plain)).toEqual([
    'm',
    'fy',
    'fp',
    'end',
    'filed',
    'v',
    'u',
    'ticker',
    'issuer_id',
    'source',
    'until',
    'kind',
  ])
  const chosen = (await (await fetchRows(`${apple}&metric=revenue&fields=url,kind,accession`)).json()).data[0]
  expect(Object.keys(chosen)).toEqual([...Object.keys(plain), 'accession', 'url'])
})

test('every format has the same cells, for one company and for several, in each view', async () => {
  const fields = [
    'accession',
    'form',
    'tag',
    'start',
    'accepted_at',
    'inputs',
    'url',
    'statement',
    'line',
    'label',
  ] as const
  for (const [query, view, adjust] of [
    [`${apple}&fields=${all}`, 'history', null],
    [`ticker=AAPL&as_of=2010-04-21&fp=TTM&fields=${all}`, 'history', null],
    [`ticker=AAPL&as_of=2025-05-02&fy=2025&fields=${all}`, 'history', null],
    [`ticker=AAPL,E02367.JP,005930.KS,2330.TW&view=latest&fields=${all}`, 'latest', null],
    [`ticker=AAPL&view=latest&adjust=splits&fields=${all}`, 'latest', 'splits'],
  ] as const) {
    const names = sheetOf({ view, adjust, fields }).map(({ name }) => name)
    const json = (await (await fetchRows(query)).json()).data
    expect(json.length).toBeGreaterThan(3)
    const rows = json.map(({ generation: _, ...row }: Record<string, unknown>) => row)
    const lines = (await (await fetchRows(`${query}&format=ndjson`)).text()).trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(json)
    for (const row of nonEmpty<object>(rows))
      expect(Object.keys(row)).toEqual(names.filter(name => name in row))
    const text = (cell: unknown) => (Array.isArray(cell) ? cell.join(' ') : (cell ?? null))
    const flat = rows.map((row: Record<string, unknown>) =>
      Object.fromEntries(names.map(name => [name, text(row[name])])),
    )
    const file = await (await fetchRows(`${query}&format=parquet`)).arrayBuffer()
    const day = (cell: unknown) => (cell instanceof Date ? cell.toISOString().slice(0, 10) : cell)
    const read = (await parquetReadObjects({ file })).map(row =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, day(cell) ?? null])),
    )
    expect(read).toEqual(flat)
    const csv = (await (await fetchRows(`${query}&format=csv`)).text()).trim().split('\r\n')
    expect(csv[0].split(',')).toEqual(names)
    expect(csv.length).toBe(flat.length + 1)
    for (const [place, row] of nonEmpty<[number, Record<string, unknown>]>(flat.entries())) {
      const tail = [row.accession, row.form, row.tag, row.start, row.accepted_at, row.inputs, row.url]
      const { statement, line, label } = row
      const lineCells = [
        statement,
        line,
        typeof label === 'string' && /[",]/.test(label) ? `"${label}"` : label,
      ]
      expect(csv[place + 1]).toEndWith(`,${[...tail, ...lineCells].map(cell => cell ?? '').join(',')}`)
    }
  }
})

test('markets whose numbers lead to a public address have it, all others null', async () => {
  const first = async (ticker: string) =>
    (await (await fetchRows(`ticker=${ticker}&view=latest&fields=accession,url`)).json()).data[0]
  expect((await first('E02367.JP')).url).toBe('https://disclosure2.edinet-fsa.go.jp/WZEK0040.aspx?S100TMMG')
  expect((await first('005930.KS')).url).toMatch(
    /^https:\/\/dart\.fss\.or\.kr\/dsaf001\/main\.do\?rcpNo=\d{14}$/,
  )
  expect((await first('2330.TW')).url).toBeNull()
})

test('a field that does not exist, an empty one and one that comes twice are refused with what is allowed', async () => {
  for (const [fields, fault] of [
    ['accesion', 'has accesion'],
    ['form,', 'has an empty name'],
    ['form,tag,form', 'has form more than once'],
  ]) {
    const response = await fetchRows(`${apple}&fields=${fields}`)
    const { error } = await response.json()
    expect([response.status, error.param]).toEqual([400, 'fields'])
    expect(error.message).toContain(fault)
    expect(error.message).toContain(
      'accession, form, tag, start, accepted_at, inputs, url, check, statement, line, label, until, kind',
    )
  }
  expect((await fetchRows('fields=form')).status).toBe(400)
})
