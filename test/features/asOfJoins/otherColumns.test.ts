import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { insertCompanies, insertEntity, insertVintages, type Vintage } from '../companies/fixtures.ts'

/* Rows of a join that have more than date and ticker: the answer has these columns as they were sent. */

setDefaultTimeout(180_000)

const planted: Vintage[] = [
  ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2010-02-20', 100, 'p-1'],
  ['revenue', 0, 2010, '2010-01-01', '2010-12-31', '2011-02-20', 130.5, 'p-3'],
]

let database: TestDatabase
let server: TestServer
let key = ''
beforeAll(async () => {
  database = await testDatabase()
  await insertCompanies(database.sql)
  const planter = await insertEntity(database.sql, {
    market: 'US',
    issuerId: '0000000077',
    ticker: 'PLANT',
    name: 'Planted Inc.',
  })
  await insertVintages(database.sql, planter, planted)
  server = await testServer(database.sql)
  key = `Bearer ${await sellKey(database.sql, { licence: 'personal', expires: '2099-01-01' })}`
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

type Sent = string | Uint8Array<ArrayBuffer>

const types = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/parquet',
}
type Format = keyof typeof types

async function join(body: Sent, type: Format, format: Format, metrics = 'revenue'): Promise<Response> {
  const settings = type === 'json' ? '' : `&metrics=${metrics}`
  return fetch(`${server.url}/api/v1/as-of?format=${format}${settings}`, {
    method: 'POST',
    headers: { Authorization: key, 'Content-Type': types[type], 'Accept-Encoding': 'identity' },
    body,
  })
}

async function textOf(body: Sent, type: Format, format: Format): Promise<string> {
  const response = await join(body, type, format)
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return text
}

async function refusal(body: Sent, type: Format, format: Format = 'json', metrics?: string) {
  const response = await join(body, type, format, metrics)
  return { status: response.status, ...(await response.json()).error }
}

async function fileOf(body: Sent, type: Format): Promise<ArrayBuffer> {
  const response = await join(body, type, 'parquet')
  if (response.status !== 200) throw new Error(await response.text())
  return response.arrayBuffer()
}

describe('CSV', () => {
  const csv =
    ',note,ticker,date,qty,price\n' +
    '0,"Apple, ""Inc.""",PLANT,2010-03-01,007,1.10\n' +
    '1,=1+1,PLANT,2010-02-20,-5,\n' +
    '2,日本 ü,NOSUCH,2011-03-01,+3,1e-7\r\n' +
    '3,,PLANT,2011-03-01,,NaN\n'

  test('comes back as CSV cell by cell, each as it was sent, in the order of the header', async () => {
    expect(await textOf(csv, 'csv', 'csv')).toBe(
      ',note,ticker,date,qty,price,revenue\r\n' +
        '0,"Apple, ""Inc.""",PLANT,2010-03-01,007,1.10,100\r\n' +
        '1,=1+1,PLANT,2010-02-20,-5,,\r\n' +
        '2,日本 ü,NOSUCH,2011-03-01,+3,1e-7,\r\n' +
        '3,,PLANT,2011-03-01,,NaN,130.5\r\n',
    )
  })

  test('is text in JSON, NDJSON and Parquet, because CSV has no types', async () => {
    const { columns } = JSON.parse(await textOf(csv, 'csv', 'json'))
    expect(Object.keys(columns)).toEqual(['', 'note', 'ticker', 'date', 'qty', 'price', 'revenue'])
    expect(columns.note).toEqual(['Apple, "Inc."', '=1+1', '日本 ü', null])
    expect(columns.qty).toEqual(['007', '-5', '+3', null])
    expect(columns.revenue).toEqual([100, null, null, 130.5])
    const lines = (await textOf(csv, 'csv', 'ndjson')).trim().split('\n')
    expect(JSON.parse(lines[0])).toEqual({
      '': '0',
      note: 'Apple, "Inc."',
      ticker: 'PLANT',
      date: '2010-03-01',
      qty: '007',
      price: '1.10',
      revenue: 100,
    })
    const rows = await parquetReadObjects({ file: await fileOf(csv, 'csv') })
    expect(rows.map(({ note, qty }) => [note ?? null, qty ?? null])).toEqual([
      ['Apple, "Inc."', '007'],
      ['=1+1', '-5'],
      ['日本 ü', '+3'],
      [null, null],
    ])
  })

  test('a line with too few cells, a header that names a column twice and bytes that are no text are named', async () => {
    const short = await refusal('date,ticker,qty\n2010-03-01,PLANT\n', 'csv')
    expect([short.status, short.message]).toEqual([
      400,
      'Line 2 has 2 cells, but the header has 3 columns. Send one cell per column.',
    ])
    const twice = await refusal('date,qty,ticker,qty\n', 'csv')
    expect([twice.status, twice.message]).toEqual([
      400,
      'The header (line 1) has the column "qty" twice. Send each column once.',
    ])
    const bytes = new Uint8Array(
      Buffer.from('date,ticker,note\n2010-03-01,PLANT,a\n2010-03-01,PLANT,\xff\n', 'latin1'),
    )
    const broken = await refusal(bytes, 'csv')
    expect([broken.status, broken.message]).toEqual([
      400,
      expect.stringContaining('Line 3 is not CSV: a cell contains bytes that are not UTF-8'),
    ])
    const late = await refusal('date,ticker,note\n2010-03-01,PLANT,a\n2010-02-30,PLANT,b\n', 'csv')
    expect(late.message).toContain('line 3.date is "2010-02-30"')
  })
})

describe('JSON and NDJSON', () => {
  const rows = {
    id: [1, 2, 3],
    ticker: ['PLANT', 'PLANT', 'NOSUCH'],
    'my "key"': ['a,b', null, '=1'],
    date: ['2010-03-01', '2011-03-01', '2011-03-01'],
    held: [true, false, null],
  }
  // Numbers that a double does not have keep their digits.
  const big = '[12345678901234567890, 1.10, -0.0]'
  const json = JSON.stringify({ rows: { ...rows, big: 0 }, metrics: ['revenue'] }).replace(
    '"big":0',
    `"big":${big}`,
  )

  test('keep each value, its digits and the order of the columns', async () => {
    const text = await textOf(json, 'json', 'json')
    expect(text).toContain(`"big":${big.replaceAll(' ', '')}`)
    const { columns } = JSON.parse(text)
    expect(Object.keys(columns)).toEqual([...Object.keys(rows), 'big', 'revenue'])
    expect(columns).toMatchObject(rows)
    expect(columns.revenue).toEqual([100, 130.5, null])
  })

  test('become cells of CSV, where a text that is a formula is guarded', async () => {
    expect(await textOf(json, 'json', 'csv')).toBe(
      'id,ticker,"my ""key""",date,held,big,revenue\r\n' +
        '1,PLANT,"a,b",2010-03-01,true,12345678901234567890,100\r\n' +
        '2,PLANT,,2011-03-01,false,1.10,130.5\r\n' +
        "3,NOSUCH,'=1,2011-03-01,,-0.0,\r\n",
    )
  })

  test('lines may have other columns than the first; its order counts', async () => {
    const lines = [
      '{"qty": 1.50, "date": "2010-03-01", "ticker": "PLANT"}',
      '{"date": "2011-03-01", "ticker": "PLANT"}',
      '{"ticker": "PLANT", "date": "2010-02-20", "note": "x\\u0000\\"y", "qty": null}',
    ]
    expect(await textOf(lines.join('\n'), 'ndjson', 'ndjson')).toBe(
      '{"qty":1.50,"date":"2010-03-01","ticker":"PLANT","note":null,"revenue":100}\n' +
        '{"qty":null,"date":"2011-03-01","ticker":"PLANT","note":null,"revenue":130.5}\n' +
        '{"qty":null,"date":"2010-02-20","ticker":"PLANT","note":"x\\u0000\\"y","revenue":null}\n',
    )
  })

  test('are typed in Parquet by all values of the column; values of two types are refused', async () => {
    const file = await fileOf(
      JSON.stringify({ rows: { ...rows, part: [1, 2.5, null] }, metrics: ['revenue'] }),
      'json',
    )
    const { schema } = parquetMetadata(file)
    expect(schema.slice(1).map(({ name, type }) => [name, type])).toEqual([
      ['id', 'INT64'],
      ['ticker', 'BYTE_ARRAY'],
      ['my "key"', 'BYTE_ARRAY'],
      ['date', 'INT32'],
      ['held', 'BOOLEAN'],
      ['part', 'DOUBLE'],
      ['revenue', 'DOUBLE'],
    ])
    const [first, second, third] = await parquetReadObjects({ file })
    expect([first.id, first.held, second.held, third.held ?? null]).toEqual([1n, true, false, null])
    expect([first.part, second.part, third.part ?? null]).toEqual([1, 2.5, null])
    const mixed = JSON.stringify({ rows: { ...rows, id: [1, 'two', 3] }, metrics: ['revenue'] })
    expect(await textOf(mixed, 'json', 'csv')).toContain('two,PLANT')
    const refused = await refusal(mixed, 'json', 'parquet')
    expect([refused.status, refused.param, refused.message]).toEqual([
      400,
      'rows.id',
      'The column "id" of rows has numbers and texts; all values of a Parquet column have the same type. Send values of one type, or ask for format=json, ndjson or csv.',
    ])
  })

  test('a column that is shorter, and one of lists, are named', async () => {
    const short = await refusal(JSON.stringify({ rows: { ...rows, id: [1] }, metrics: ['revenue'] }), 'json')
    expect(short.message).toBe('rows.date has 3 values and rows.id 1. Each column needs one value per row.')
    const nested = await refusal(
      JSON.stringify({ rows: { ...rows, id: [1, [2], 3] }, metrics: ['revenue'] }),
      'json',
    )
    expect([nested.param, nested.message]).toEqual([
      'rows.id[1]',
      'rows.id[1] is an array of 1; columns other than date and ticker may contain only text, numbers, true, false and null. Leave it out.',
    ])
  })
})

describe('Parquet', () => {
  const file = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'seq', data: [9_007_199_254_740_993n, -1n, 0n], type: 'INT64' },
        { name: 'date', data: ['2010-03-01', '2010-02-20', '2011-03-01'], type: 'STRING' },
        { name: 'ticker', data: ['PLANT', 'PLANT', 'NOSUCH'], type: 'STRING' },
        { name: 'weight', data: [0.1, Number.NaN, -0], type: 'DOUBLE' },
        { name: 'small', data: [0.1, null, 3], type: 'FLOAT' },
        { name: 'held', data: [true, null, false], type: 'BOOLEAN' },
        { name: 'seen', data: [new Date('2010-03-01T09:30:00.250Z'), null, new Date(0)], type: 'TIMESTAMP' },
      ],
    }),
  )

  test('keeps the types and the bits of its columns', async () => {
    const answer = await fileOf(file, 'parquet')
    const typesOf = (buffer: ArrayBuffer) =>
      parquetMetadata(buffer)
        .schema.slice(1)
        .map(({ name, type, converted_type, logical_type }) => [name, type, converted_type, logical_type])
    const sent = typesOf(file.buffer)
    expect(typesOf(answer).filter(([name]) => name !== 'date' && name !== 'revenue')).toEqual(
      sent.filter(([name]) => name !== 'date'),
    )
    expect(typesOf(answer).map(([name]) => name)).toEqual([...sent.map(([name]) => name), 'revenue'])
    const [before, after] = await Promise.all([
      parquetReadObjects({ file: file.buffer }),
      parquetReadObjects({ file: answer }),
    ])
    for (const [row, { date: _, ...cells }] of nonEmpty(before.entries()))
      expect(after[row]).toMatchObject(cells)
    expect(after.map(({ weight }) => Object.is(weight, -0))).toEqual([false, false, true])
  })

  test('is shown in JSON and CSV as what it means', async () => {
    const { columns } = JSON.parse(await textOf(file, 'parquet', 'json'))
    expect(columns).toMatchObject({
      weight: [0.1, null, -0],
      small: [0.1, null, 3],
      held: [true, null, false],
      seen: ['2010-03-01T09:30:00.250Z', null, '1970-01-01T00:00:00Z'],
    })
    expect(await textOf(file, 'parquet', 'json')).toContain('"seq":[9007199254740993,-1,0]')
    expect(await textOf(file, 'parquet', 'csv')).toBe(
      'seq,date,ticker,weight,small,held,seen,revenue\r\n' +
        '9007199254740993,2010-03-01,PLANT,0.1,0.1,true,2010-03-01T09:30:00.250Z,100\r\n' +
        '-1,2010-02-20,PLANT,,,,,\r\n' +
        '0,2011-03-01,NOSUCH,-0.0,3,false,1970-01-01T00:00:00Z,\r\n',
    )
  })
})

test('a column that the answer has for a metric is refused, not overwritten', async () => {
  for (const name of ['revenue', 'revenue_filed']) {
    const body = JSON.stringify({
      rows: { date: ['2010-03-01'], ticker: ['PLANT'], [name]: [1] },
      metrics: ['revenue'],
      with: ['filed'],
    })
    const refused = await refusal(body, 'json')
    expect([refused.status, refused.param]).toEqual([400, `rows.${name}`])
    expect(refused.message).toBe(
      `rows has the column "${name}", but the response has a column of its own with this name. Rename yours, or leave it out.`,
    )
  }
})

test('no more than a hundred columns, and names of a bounded length', async () => {
  const columns = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, [i]]))
  const body = (more: object) =>
    JSON.stringify({ rows: { date: ['2010-03-01'], ticker: ['PLANT'], ...more }, metrics: ['revenue'] })
  expect(Object.keys(JSON.parse(await textOf(body(columns(100)), 'json', 'json')).columns).length).toBe(103)
  expect((await refusal(body(columns(101)), 'json')).message).toStartWith('rows has more than 100 columns')
  expect((await refusal(body({ ['x'.repeat(129)]: [1] }), 'json')).message).toContain(
    'at most 128 characters',
  )
})

test('thousands of distinct values, and a few on many rows, come back row by row', async () => {
  const count = 30_000
  const ids = Array.from({ length: count }, (_, i) => `id-${i}`)
  const groups = Array.from({ length: count }, (_, i) => `g${i % 7}`)
  const lines = ids.map((id, i) => `2010-03-01,${id},PLANT,${groups[i]}`)
  const answer = await textOf(`date,id,ticker,group\n${lines.join('\n')}\n`, 'csv', 'csv')
  expect(answer).toBe(`date,id,ticker,group,revenue\r\n${lines.map(line => `${line},100\r\n`).join('')}`)
})
