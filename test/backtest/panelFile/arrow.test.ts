import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readParquetRows } from '../../../src/backtest/asOf/parquetRows.ts'
import { maxJoinRows } from '../../../src/backtest/asOf/request.ts'
import { recogniseFormat } from '../../../src/backtest/panelFile/panelFormat.ts'
import { readParquetPanel } from '../../../src/backtest/panelFile/parquetPanel.ts'
import { readTable, readTableNames } from '../../../src/backtest/panelFile/tableFile.ts'
import { Failure } from '../../../src/errors.ts'
import { findPython, runPython } from '../../python.ts'
import { rounds } from '../../rounds.ts'

setDefaultTimeout(180_000)

const python = findPython('pyarrow', 'polars')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-arrow-in-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bytesOf = (name: string) => new Uint8Array(readFileSync(join(folder, name)))

async function refusal(read: Promise<unknown>): Promise<Failure> {
  const error = await read.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`It was not refused: ${error}`)
}

/** Tables of every type, each written by pyarrow as one Parquet file and as streams of several kinds. */
const writeTables = `
import datetime as dt, pyarrow as pa, pyarrow.parquet as pq, polars as pl, random

def write(table, name):
    pq.write_table(table, f'{name}.parquet')
    def stream(kind, table=table, rows=None, **options):
        with pa.ipc.new_stream(f'{name}-{kind}.arrows', table.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
            out.write_table(table, max_chunksize=rows)
    stream('plain')
    stream('small', rows=3)
    stream('lz4', compression='lz4')
    stream('zstd', compression='zstd', rows=2)
    stream('v4', metadata_version=pa.ipc.MetadataVersion.V4)
    # A slice whose buffers begin before its rows.
    wide = pa.concat_tables([table, table]).combine_chunks()
    stream('slice', table=wide.slice(table.num_rows))
    large = pa.schema([f.with_type(pa.large_string() if f.type == pa.string() else f.type) for f in table.schema])
    stream('large', table=table.cast(large))
    views = pa.schema([f.with_type(pa.string_view() if f.type == pa.string() else f.type) for f in table.schema])
    stream('views', table=table.cast(views))
    coded = pa.table({n: c.dictionary_encode() if c.type == pa.string() or c.type == pa.date32() else c for n, c in zip(table.column_names, table.columns)})
    stream('coded', table=coded, rows=2)
    stream('replaced', table=pa.concat_tables([pa.table({n: c.combine_chunks().dictionary_encode() if c.type == pa.string() else c for n, c in zip(t.column_names, t.columns)}) for t in (table.slice(0, 2), table.slice(2))]))

times = [dt.datetime(2010, 3, 1, 9, 30, 0, 250000), None, dt.datetime(1965, 1, 1), dt.datetime(2010, 3, 1)]
clock = [dt.time(9, 30, 0, 250000), None, dt.time(0), dt.time(23, 59, 59)]
days = [dt.date(2010, 3, 1), dt.date(2010, 2, 20), dt.date(2011, 3, 1), dt.date(1999, 12, 31)]
columns = {'date': pa.array(days), 'ticker': pa.array(['PLANT', 'Ünï', 'NOSUCH', 'a ticker of more than twelve bytes'])}
for bits in (8, 16, 32, 64):
    top = 2 ** (bits - 1)
    columns[f'i{bits}'] = pa.array([-top, None, top - 1, 0], getattr(pa, f'int{bits}')())
    columns[f'u{bits}'] = pa.array([2 * top - 1, None, 0, 1], getattr(pa, f'uint{bits}')())
    columns[f'full{bits}'] = pa.array([1, 2, 3, 1], getattr(pa, f'uint{bits}')())
columns['f32'] = pa.array([0.1, None, float('-inf'), float('nan')], pa.float32())
columns['f64'] = pa.array([0.1, None, -0.0, float('nan')], pa.float64())
columns['flag'] = pa.array([True, None, False, True])
columns['day'] = pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31), dt.date(1970, 1, 1)])
columns['text'] = pa.array(['', None, '日本 ü', 'long ' * 90])
columns['bytes'] = pa.array([b'a', None, b'', b'b'], pa.binary())
columns['codes'] = pa.array(['b', None, 'b', 'a']).dictionary_encode()
columns['numbers'] = pa.array([2.5, None, 2.5, -0.0]).dictionary_encode()
columns['nothing'] = pa.nulls(4)
columns['took'] = pa.array([1, None, 3, 4], pa.duration('ms'))
for unit in ('s', 'ms', 'us', 'ns'):
    columns[f'local_{unit}'] = pa.array([t and t.replace(microsecond=0) for t in times], pa.timestamp(unit)) if unit == 's' else pa.array(times, pa.timestamp(unit))
    columns[f'utc_{unit}'] = columns[f'local_{unit}'].cast(pa.timestamp(unit, 'UTC'))
    columns[f'zone_{unit}'] = columns[f'local_{unit}'].cast(pa.timestamp(unit, 'America/New_York'))
    plain = [t and t.replace(microsecond=0) for t in clock]
    columns[f'clock_{unit}'] = pa.array(plain if unit == 's' else clock, (pa.time32 if unit in ('s', 'ms') else pa.time64)(unit))
write(pa.table(columns), 'every')

for name, date in {'date64': pa.array(days, pa.date64()), 'texts': pa.array([str(d) for d in days]), 'ns': pa.array(days).cast(pa.timestamp('ns')), 's': pa.array(days).cast(pa.timestamp('s')), 'zone': pa.array(days).cast(pa.timestamp('us')).cast(pa.timestamp('us', 'UTC'))}.items():
    write(pa.table({'ticker': columns['ticker'], 'date': date, 'day64': pa.array(days[:3] + [None], pa.date64())}), f'date-{name}')

random.seed(7)
n = ${rounds(8_000, 40_000)}
panel = {
    'date': pa.array([dt.date(2010, 1, 4) + dt.timedelta(days=7 * (i // 100)) for i in range(n)]),
    # One name begins with a byte order mark, without which it would be another's.
    'asset': pa.array(['\\ufeffASSET 49' if i % 100 == 50 else f'ASSET {i % 100}' for i in range(n)]),
    'market': pa.array([None if i % 7 == 0 else 'US' for i in range(n)], pa.string()),
    'score': pa.array([None if i % 11 == 0 else random.gauss(0, 1) for i in range(n)]),
    'forward_return': pa.array([random.gauss(0, .02) for i in range(n)]),
}
write(pa.table(panel), 'panel')
for name, score in {'float32': pa.float32(), 'float16': pa.float16(), 'int8': pa.int8()}.items():
    values = pa.array([i % 100 for i in range(n)], pa.int8())
    write(pa.table({**panel, 'score': values if name == 'int8' else pa.array([float(i % 100) / 8 for i in range(n)], score), 'asset': pa.array([10_000 + i % 100 for i in range(n)])}), f'panel-{name}')
frame = pl.read_parquet('panel.parquet')
frame.write_ipc_stream('panel-polars.arrows')
frame.with_columns(pl.col('asset').cast(pl.Categorical)).write_ipc_stream('panel-polarsCategories.arrows', compression='zstd')
frame.to_pandas().set_index('date', append=False).reset_index().to_feather('panel.feather')
big = pa.table({'date': pa.array([days[i % 4] for i in range(900_000)]), 'ticker': pa.array([f'T{i % 997}' for i in range(900_000)]), 'value': pa.array([float(i % 1000) for i in range(900_000)]), 'note': pa.array([f'note {i}' for i in range(900_000)])})
pq.write_table(big, 'big.parquet')
for kind in ('lz4', 'zstd', None):
    with pa.ipc.new_stream(f'big-{kind}.arrows', big.schema, options=pa.ipc.IpcWriteOptions(compression=kind)) as out: out.write_table(big)
`

const kinds = ['plain', 'small', 'lz4', 'zstd', 'v4', 'slice', 'large', 'views', 'coded', 'replaced']

/** Numbers as their bits, because NaN equals nothing, and 0 equals -0. */
const bits = (_: string, value: unknown) => {
  if (!ArrayBuffer.isView(value)) return value
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return `${value.constructor.name} ${Bun.hash(bytes)} ${Buffer.from(bytes.slice(0, 200)).toString('hex')}`
}
const exactly = (value: unknown): unknown => JSON.parse(JSON.stringify(value, bits))

describe.skipIf(python === null)('an Arrow stream', () => {
  let written = false
  const write = () => {
    if (!written) runPython(python ?? '', folder, ['-c', writeTables])
    written = true
  }

  test('gives the rows of a join that the Parquet file of the same table gives, whatever its types', async () => {
    write()
    for (const table of ['every', 'date-date64', 'date-texts', 'date-ns', 'date-s', 'date-zone']) {
      const expected = await readParquetRows(bytesOf(`${table}.parquet`), maxJoinRows)
      expect(expected.count).toBe(4)
      for (const kind of kinds) {
        const bytes = bytesOf(`${table}-${kind}.arrows`)
        expect(recogniseFormat(bytes)).toBe('arrow')
        const rows = await readParquetRows(bytes, maxJoinRows, 'arrow').catch(error => {
          throw new Error(`${table}-${kind}: ${error.message}`)
        })
        expect({ kind, rows: exactly(rows) }).toEqual({ kind, rows: exactly(expected) })
      }
    }
  })

  test('of large buffers is read in parts, with the cells of the Parquet file', async () => {
    write()
    const expected = await readParquetRows(bytesOf('big.parquet'), maxJoinRows)
    for (const kind of ['lz4', 'zstd', 'None']) {
      const rows = await readParquetRows(bytesOf(`big-${kind}.arrows`), maxJoinRows, 'arrow')
      expect(exactly(rows)).toEqual(exactly(expected))
    }
  })

  test('gives the panel that the Parquet file gives, from memory and from a file', async () => {
    write()
    for (const table of ['panel', 'panel-float32', 'panel-float16', 'panel-int8']) {
      const expected = await readParquetPanel(bytesOf(`${table}.parquet`))
      const more = table === 'panel' ? ['polars', 'polarsCategories'] : []
      for (const kind of [...kinds, ...more]) {
        const path = join(folder, `${table}-${kind}.arrows`)
        const { columns } = await readParquetPanel(bytesOf(`${table}-${kind}.arrows`), [], false, 'arrow')
        expect({ kind, columns: exactly(columns) }).toEqual({ kind, columns: exactly(expected.columns) })
        const descriptor = openSync(path, 'r')
        try {
          const source = { descriptor, bytes: statSync(path).size }
          const read = await readParquetPanel(source, [], false, 'arrow')
          expect(exactly(read.columns)).toEqual(exactly(expected.columns))
        } finally {
          closeSync(descriptor)
        }
      }
    }
  })

  test('has the names of its columns, without the index of pandas', async () => {
    write()
    expect(await readTableNames(bytesOf('panel-plain.arrows'), 'arrow', [])).toEqual([
      'date',
      'asset',
      'market',
      'score',
      'forward_return',
    ])
  })

  test('is refused as a file of Feather, as Parquet, as text and with types that it cannot have', async () => {
    write()
    const read = (bytes: Uint8Array) =>
      refusal(readTable(bytes, 'arrow', { numbers: [], cells: 1e6, textLength: 100 }))
    const says = async (bytes: Uint8Array) => (await read(bytes)).message
    expect(await says(bytesOf('panel.feather'))).toBe(
      'It cannot be read as an Arrow stream: it is an Arrow file (Feather), not a stream; write it with pyarrow.ipc.new_stream, or write_ipc_stream of Polars.',
    )
    expect(recogniseFormat(bytesOf('panel.feather'))).toBe('arrow')
    expect(await says(bytesOf('panel.parquet'))).toContain('it is Parquet; send it with the Content-Type')
    expect(await says(new TextEncoder().encode('date,ticker\n'))).toContain(
      'does not begin as an Arrow IPC stream',
    )
    expect(await says(new Uint8Array(0))).toContain('does not begin as an Arrow IPC stream')
    const script = `
import pyarrow as pa, decimal, datetime as dt
def write(name, **columns):
    table = pa.table(columns)
    with pa.ipc.new_stream(f'refused-{name}.arrows', table.schema) as out: out.write_table(table)
write('decimal', a=pa.array([decimal.Decimal('1.5')]))
write('list', a=pa.array([[1]]))
write('struct', a=pa.array([{'b': 1}]))
write('fixed', a=pa.array([b'ab'], pa.binary(2)))
write('runs', a=pa.RunEndEncodedArray.from_arrays([1], ['x']))
write('dated', a=pa.array([1], pa.int64()).view(pa.date64()))
write('binary', a=pa.array([b'\\xff'], pa.binary()))
table = pa.table([pa.array([1]), pa.array([2])], names=['a', 'a'])
with pa.ipc.new_stream('refused-twice.arrows', table.schema) as out: out.write_table(table)`
    runPython(python ?? '', folder, ['-c', script])
    const refused: Record<string, string> = {
      decimal: 'the column a is DECIMAL; write it as float64 or text',
      list: 'the column a is nested',
      struct: 'the column a is nested',
      fixed: 'the column a is FIXED_LEN_BYTE_ARRAY; write it as float64 or text',
      runs: 'the column a is nested',
      dated: 'the column a is date64 but has a time of day; write it as a timestamp',
      binary: 'the column a contains bytes that are not UTF-8; write it as text',
      twice: 'it has the column a twice; write it once',
    }
    for (const [name, reason] of Object.entries(refused)) {
      const { code, message } = await read(bytesOf(`refused-${name}.arrows`))
      expect({ name, code, message }).toEqual({
        name,
        code: 'body_invalid',
        message: expect.stringContaining(reason),
      })
    }
    const twice = Buffer.concat([bytesOf('date-ns-plain.arrows'), bytesOf('date-ns-plain.arrows')])
    expect(await says(new Uint8Array(twice))).toContain(
      'it has bytes after its end; send one stream per request',
    )
  })

  test('that would become far more than any rows need is refused before it is decompressed', async () => {
    const script = `
import pyarrow as pa
def write(name, table, compression):
    with pa.ipc.new_stream(f'bomb-{name}.arrows', table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out: out.write_table(table)
for kind in ('lz4', 'zstd'):
    write(f'texts-{kind}', pa.table({'date': ['2010-01-26'] * 20_000, 'ticker': ['x' * 4_000] * 20_000}), kind)
    codes = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array(['x' * 60 + str(i % 10) for i in range(600_000)]))
    write(f'dictionary-{kind}', pa.table({'date': ['2010-01-26'], 'ticker': codes}), kind)
    write(f'rows-{kind}', pa.table({'date': pa.nulls(6_000_000, pa.date32()), 'ticker': pa.nulls(6_000_000, pa.string())}), kind)
write('nothing', pa.table({'date': pa.nulls(60_000_000), 'ticker': pa.nulls(60_000_000)}), None)
write('columns', pa.table({f'c{i}': pa.array([1]) for i in range(12_000)}), None)`
    runPython(python ?? '', folder, ['-c', script])
    for (const name of [
      ...['lz4', 'zstd'].flatMap(kind => [`texts-${kind}`, `dictionary-${kind}`, `rows-${kind}`]),
      'nothing',
      'columns',
    ]) {
      const bytes = bytesOf(`bomb-${name}.arrows`)
      const before = process.memoryUsage().rss
      const { code, message } = await refusal(readParquetRows(bytes, maxJoinRows, 'arrow'))
      expect({ name, code, message }).toMatchObject({
        name,
        code: expect.stringMatching(/^body_(too_large|invalid)$/),
      })
      expect([name, process.memoryUsage().rss - before < 150 * 1_024 * 1_024]).toEqual([name, true])
    }
  })

  test('that is damaged anywhere is refused or read, and never fails in another way', async () => {
    write()
    let state = 20_261_128
    const below = (count: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * count)
    }
    const hostile = [0, 1, 0x7f, 0x80, 0xff]
    const seen = { read: 0, refused: 0 }
    for (const kind of [...kinds, 'cut']) {
      const whole = bytesOf(`every-${kind === 'cut' ? 'zstd' : kind}.arrows`)
      for (let run = 0; run < rounds(130, 400); run++) {
        const bytes = whole.slice(0, kind === 'cut' ? below(whole.length) : whole.length)
        for (let changes = kind === 'cut' ? 0 : 1 + below(4); changes > 0; changes--) {
          // Half of the changes are in the schema, whose offsets decide everything else.
          const at = below(below(2) === 0 ? bytes.length : Math.min(bytes.length, 4_000))
          const length = 1 + below(8)
          for (let i = at; i < Math.min(bytes.length, at + length); i++)
            bytes[i] = below(2) === 0 ? below(256) : hostile[below(hostile.length)]
        }
        try {
          await readParquetRows(bytes, maxJoinRows, 'arrow')
          seen.read++
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          expect(['body_invalid', 'body_too_large', 'parameter_invalid']).toContain(error.code)
          seen.refused++
        }
      }
    }
    expect(seen.refused).toBeGreaterThan(rounds(300, 1_000))
    expect(seen.read).toBeGreaterThan(rounds(30, 100))
  })
})
