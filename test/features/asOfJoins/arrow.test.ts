import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { findPython, runPython } from '../../python.ts'
import { insertCompanies, insertEntity, insertVintages } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)

const python = findPython('pyarrow', 'polars')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-arrow-'))
const arrowType = 'application/vnd.apache.arrow.stream'

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
  await insertVintages(database.sql, planter, [
    ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2010-02-20', 100, 'p-1'],
    ['revenue', 0, 2010, '2010-01-01', '2010-12-31', '2011-02-20', 130.5, 'p-3'],
  ])
  server = await testServer(database.sql)
  key = `Bearer ${await sellKey(database.sql, { licence: 'personal', expires: '2099-01-01' })}`
})
afterAll(async () => {
  await server.stop()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Sent {
  readonly query?: string
  readonly type?: string
  readonly accept?: string
}

const post = (
  body: string | Uint8Array<ArrayBuffer>,
  { query = '', type = 'application/json', accept = '*/*' }: Sent = {},
) =>
  fetch(`${server.url}/api/v1/as-of?${query}`, {
    method: 'POST',
    headers: { Authorization: key, 'Content-Type': type, Accept: accept },
    body,
  })

const json = (extra: object = {}) =>
  JSON.stringify({
    rows: {
      date: ['2010-02-20', '2010-02-21', '2011-03-01', '2011-03-01'],
      ticker: ['PLANT', 'PLANT', 'PLANT', 'NOSUCH'],
      ...extra,
    },
    metrics: ['revenue'],
    with: ['end', 'filed'],
  })

describe.skipIf(python === null)('a join as an Arrow stream', () => {
  /** Reads the stream with pyarrow and polars, which must agree. */
  function readStream(bytes: Uint8Array): { columns: Record<string, unknown[]>; metadata: object } {
    writeFileSync(join(folder, 'answer.arrows'), bytes)
    const script = `
import json, polars as pl, pyarrow as pa
def shown(rows): return [{k: (v.isoformat() if hasattr(v, 'isoformat') else v) for k, v in row.items()} for row in rows]
table = pa.ipc.open_stream('answer.arrows').read_all()
table.validate(full=True)
assert shown(table.to_pylist()) == shown(pl.read_ipc_stream('answer.arrows').to_dicts())
columns = {name: [v.isoformat() if hasattr(v, 'isoformat') else v for v in table[name].to_pylist()] for name in table.column_names}
print(json.dumps({'columns': columns, 'metadata': {k.decode(): v.decode() for k, v in table.schema.metadata.items()}}))`
    return JSON.parse(runPython(python ?? '', folder, ['-c', script]))
  }

  test('has the cells of the JSON answer, null where no figure was known, and what it says of itself', async () => {
    const body = json({
      note: ['a', null, '日本', ''],
      held: [true, false, null, true],
      count: [1, -2, null, 3],
    })
    const response = await post(body, { query: 'format=arrow' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(arrowType)
    expect(response.headers.get('content-disposition')).toMatch(/\.arrow"$/)
    const { columns, metadata } = readStream(await response.bytes())
    const expected = await (await post(body)).json()
    expect(columns).toEqual(expected.columns)
    expect(columns.revenue).toEqual([null, 100, 130.5, null])
    expect(metadata).toMatchObject({ object: 'as_of_join', count: '4', unknown: '["NOSUCH"]' })
  })

  test('is chosen by Accept, and format wins over it', async () => {
    expect((await post(json(), { accept: arrowType })).headers.get('content-type')).toBe(arrowType)
    const parquet = await post(json(), { accept: arrowType, query: 'format=parquet' })
    expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet')
    expect((await post(json(), { accept: 'application/json' })).headers.get('content-type')).toBe(
      'application/json',
    )
  })

  test('has every type of Parquet that the rows may have, as the Parquet answer has it', async () => {
    const script = `
import datetime as dt, pyarrow as pa, pyarrow.parquet as pq
times = [dt.datetime(2010, 3, 1, 9, 30, 0, 250000), None, dt.datetime(1965, 1, 1)]
clock = [dt.time(9, 30, 0, 250000), None, dt.time(0)]
columns = {'date': pa.array([dt.date(2010, 3, 1), dt.date(2010, 2, 20), dt.date(2011, 3, 1)]), 'ticker': pa.array(['PLANT', 'PLANT', 'NOSUCH'])}
for bits in (8, 16, 32, 64):
    top = 2 ** (bits - 1)
    columns[f'i{bits}'] = pa.array([-top, None, top - 1], getattr(pa, f'int{bits}')())
    columns[f'u{bits}'] = pa.array([2 * top - 1, None, 0], getattr(pa, f'uint{bits}')())
columns['f32'] = pa.array([0.1, None, float('-inf')], pa.float32())
columns['f64'] = pa.array([0.1, None, -0.0], pa.float64())
columns['flag'] = pa.array([True, None, False])
columns['day'] = pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)])
columns['text'] = pa.array(['', None, '日本 ü'])
columns['codes'] = pa.array(['b', None, 'b']).dictionary_encode()
for unit in ('ms', 'us', 'ns'):
    columns[f'local_{unit}'] = pa.array(times, pa.timestamp(unit))
    columns[f'utc_{unit}'] = pa.array(times, pa.timestamp(unit, 'UTC'))
    columns[f'clock_{unit}'] = pa.array(clock, pa.time32('ms') if unit == 'ms' else pa.time64(unit))
pq.write_table(pa.table(columns), 'sent.parquet')`
    runPython(python ?? '', folder, ['-c', script])
    const sent = new Uint8Array(readFileSync(join(folder, 'sent.parquet')))
    for (const format of ['parquet', 'arrow']) {
      const query = `metrics=revenue&with=filed&format=${format}`
      const response = await post(sent, { query, type: 'application/vnd.apache.parquet' })
      if (response.status !== 200) throw new Error(await response.text())
      writeFileSync(join(folder, `answer.${format}`), await response.bytes())
    }
    const compared = JSON.parse(
      runPython(python ?? '', folder, [
        '-c',
        `
import json, pyarrow as pa, pyarrow.parquet as pq
arrow = pa.ipc.open_stream('answer.arrow').read_all()
parquet = pq.read_table('answer.parquet')
arrow.validate(full=True)
plain = lambda t: pa.schema([f.remove_metadata() for f in t.schema])
print(json.dumps({'types': [str(f.type) for f in arrow.schema], 'columns': arrow.column_names,
  'same_schema': plain(arrow) == plain(parquet), 'differ': [n for n in arrow.column_names if not arrow[n].equals(parquet[n])],
  'metadata': arrow.schema.metadata == {k: v for k, v in parquet.schema.metadata.items() if k != b'ARROW:schema'}}))`,
      ]),
    )
    expect(compared).toMatchObject({ same_schema: true, differ: [], metadata: true })
    expect(compared.columns).toHaveLength(27)
    expect(new Set(compared.types)).toContain('timestamp[ns, tz=UTC]')
  })

  test('is the same, byte by byte, whether the rows were sent as Arrow or as Parquet', async () => {
    const script = `
import datetime as dt, pyarrow as pa, pyarrow.parquet as pq
table = pa.table({'date': pa.array([dt.date(2010, 3, 1), dt.date(2010, 2, 20), dt.date(2011, 3, 1)]), 'ticker': ['PLANT', 'PLANT', 'NOSUCH'],
  'at': pa.array([1, None, 3], pa.timestamp('s', 'UTC')), 'x': pa.array([0.1, None, -0.0], pa.float32()), 'note': pa.array(['a', None, 'a']).dictionary_encode()})
pq.write_table(table, 'both.parquet')
with pa.ipc.new_stream('both.arrows', table.schema, options=pa.ipc.IpcWriteOptions(compression='zstd')) as out: out.write_table(table)`
    runPython(python ?? '', folder, ['-c', script])
    const bodyOf = (name: string) => new Uint8Array(readFileSync(join(folder, name)))
    for (const format of ['json', 'csv', 'ndjson', 'parquet', 'arrow']) {
      const query = `metrics=revenue&with=filed&format=${format}`
      const parquet = await post(bodyOf('both.parquet'), { query, type: 'application/vnd.apache.parquet' })
      const arrow = await post(bodyOf('both.arrows'), { query, type: arrowType })
      expect([format, parquet.status, arrow.status]).toEqual([format, 200, 200])
      expect(Buffer.from(await arrow.bytes()).equals(Buffer.from(await parquet.bytes()))).toBe(true)
    }
    const cut = await post(bodyOf('both.arrows').slice(0, 500), { query: 'metrics=revenue', type: arrowType })
    expect([cut.status, (await cut.json()).error.message]).toEqual([
      400,
      expect.stringContaining('It cannot be read as an Arrow stream: it is damaged'),
    ])
  })

  test('of several record batches is the Parquet answer, cell by cell', async () => {
    const count = 300_000
    const rows = `
import datetime as dt, pyarrow as pa, pyarrow.parquet as pq
early, late = dt.date(2010, 2, 20), dt.date(2011, 3, 1)
dates = [early if row % 3 == 0 else late for row in range(${count})]
names = [f'NONE{row % 1000}' if row % 7 == 0 else 'PLANT' for row in range(${count})]
pq.write_table(pa.table({'date': dates, 'ticker': names}), 'rows.parquet')`
    runPython(python ?? '', folder, ['-c', rows])
    const body = new Uint8Array(readFileSync(join(folder, 'rows.parquet')))
    for (const format of ['parquet', 'arrow']) {
      const response = await post(body, {
        query: `metrics=revenue&format=${format}`,
        type: 'application/vnd.apache.parquet',
      })
      if (response.status !== 200) throw new Error(await response.text())
      writeFileSync(join(folder, `large.${format}`), await response.bytes())
    }
    const script = `
import pyarrow as pa, pyarrow.parquet as pq
arrow = pa.ipc.open_stream('large.arrow').read_all()
parquet = pq.read_table('large.parquet')
arrow.validate(full=True)
print(arrow.num_rows, [batch.num_rows for batch in arrow.to_batches()], all(arrow[n].equals(parquet[n]) for n in parquet.column_names))`
    expect(runPython(python ?? '', folder, ['-c', script]).trim()).toBe(
      `${count} [131072, 131072, 37856] True`,
    )
  })
})
