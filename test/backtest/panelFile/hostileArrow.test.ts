import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readParquetRows } from '../../../src/backtest/asOf/parquetRows.ts'
import { maxJoinRows } from '../../../src/backtest/asOf/request.ts'
import { batchHeader, readBatch, readMessages } from '../../../src/backtest/panelFile/arrow/messages.ts'
import { readArrowChunks } from '../../../src/backtest/panelFile/arrowTable.ts'
import { openFileBytes } from '../../../src/backtest/panelFile/parquet/fileBytes.ts'
import { readParquetPanel } from '../../../src/backtest/panelFile/parquetPanel.ts'
import { Failure } from '../../../src/errors.ts'
import { findPython, runPython } from '../../python.ts'

setDefaultTimeout(180_000)

const python = findPython('pyarrow')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-arrow-hostile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bytesOf = (name: string) => new Uint8Array(readFileSync(join(folder, name)))
const readJoin = (bytes: Uint8Array<ArrayBuffer>) => readParquetRows(bytes, maxJoinRows, 'arrow')

async function refusal(read: Promise<unknown>): Promise<Pick<Failure, 'code' | 'message'>> {
  const error = await read.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return { code: error.code, message: error.message }
  throw new Error(`It was not refused: ${error}`)
}

/** The range of a buffer of the first batch in the stream.
 *
 * @param kinds how many buffers each column has */
function rangeOf(bytes: Uint8Array, kinds: readonly (number | null)[], column: number, buffer: number) {
  const message = readMessages(openFileBytes(bytes)).find(({ kind }) => kind === batchHeader)
  if (message === undefined) throw new Error('It has no batch.')
  const { parts } = readBatch(message.header, message.to - message.from, kinds)
  const [offset = 0, length = 0] = parts[column]?.buffers.slice(2 * buffer) ?? []
  return { from: message.from + offset, to: message.from + offset + length }
}

const writeTables = `
import datetime as dt, os, pyarrow as pa, pyarrow.parquet as pq

def write(name, table, compression=None, **options):
    with pa.ipc.new_stream(f'{name}.arrows', table.schema, options=pa.ipc.IpcWriteOptions(compression=compression, **options)) as out: out.write_table(table)

day = dt.date(2010, 3, 1)
n = 200_000
# Views into one buffer, which takes longer to decompress than the views themselves.
more = 700_000
texts = pa.array([f'TICKER NUMBER {i * 7919 % more}' for i in range(more)]).cast(pa.string_view())
write('views', pa.table({'date': [day] * more, 'ticker': texts}), 'zstd')
write('noise', pa.table({'date': [day] * 1000, 'ticker': ['PLANT'] * 1000, 'note': [os.urandom(200).hex() for _ in range(1000)]}), 'zstd')
write('name', pa.table({'date': [day], 'ticker': ['PLANT'], 'x' * 5000: [1]}))
plain = {'date': [day] * 3, 'ticker': ['PLANT'] * 3}
nulls = pa.table({**plain, 'note': pa.DictionaryArray.from_arrays(pa.array([None, None, None], pa.int8()), pa.nulls(0))})
write('nulls', nulls)
write('plainNulls', pa.table({**plain, 'note': pa.nulls(3)}))
write('wholes', pa.table({**plain, 'note': pa.array([1, 2, 3], pa.int64())}))
write('texts', pa.table({**plain, 'note': ['a', 'b', 'c']}))
write('dictionary', pa.table({
    **{'date': [day] * n, 'ticker': ['PLANT'] * n}, **{f'c{i}': pa.nulls(n) for i in range(6)},
    'coded': pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([str(i) for i in range(600_000)])),
}), 'zstd')
many = 1_500_000
views = pa.Array.from_buffers(pa.string_view(), many, [None, pa.py_buffer(bytes(16 * many)), pa.py_buffer(bytes(300_000_000))])
write('held', pa.table({'date': pa.array([14669], pa.int32()).cast(pa.date32()).take(pa.nulls(many, pa.int32()).fill_null(0)), 'asset': views, 'market': pa.nulls(many, pa.string()), 'score': pa.nulls(many, pa.float64()), 'forward_return': pa.nulls(many, pa.float64())}), 'zstd')

# A slice of views is sent with the texts of all rows.
assets = pa.array([f'an asset with a long name {i}' for i in range(n)])
panel = pa.table({'date': [day] * n, 'asset': assets, 'score': [0.5] * n, 'forward_return': [0.1] * n}).slice(1000, 10)
pq.write_table(panel, 'slice.parquet')
write('slice', panel.set_column(1, 'asset', assets.cast(pa.string_view()).slice(1000, 10)), 'zstd')

coded = pa.schema([('date', pa.date32()), ('ticker', pa.dictionary(pa.int32(), pa.string()))])
with pa.ipc.new_stream('deltas.arrows', coded, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as out:
    for k in range(1, 6):
        codes = pa.DictionaryArray.from_arrays(pa.array([0, k - 1], pa.int32()), pa.array([f'T{i}' for i in range(k)]))
        out.write_batch(pa.record_batch([pa.array([day] * 2), codes], schema=coded))
`

describe.skipIf(python === null)('a hostile Arrow stream', () => {
  beforeAll(() => {
    runPython(python ?? '', folder, ['-c', writeTables])
  })

  test('whose views are damaged is refused, without an error that nobody catches', async () => {
    const bytes = bytesOf('views.arrows')
    const { from, to } = rangeOf(bytes, [2, null], 1, 1)
    bytes.fill(0xa5, from + 40, to)
    await Bun.write(join(folder, 'damaged.arrows'), bytes)
    const script = `
      import { readParquetRows } from './src/backtest/asOf/parquetRows.ts'
      const bytes = await Bun.file(process.argv.at(-1)).bytes()
      await readParquetRows(bytes, 1_000_000, 'arrow').catch(({ code }) => console.log(code))
      await Bun.sleep(100)
      console.log('still here')`
    const child = Bun.spawnSync([process.execPath, '-e', script, join(folder, 'damaged.arrows')], {
      cwd: join(import.meta.dir, '../../..'),
    })
    const written = { out: child.stdout.toString(), error: child.stderr.toString() }
    expect(written).toEqual({ out: 'body_invalid\nstill here\n', error: '' })
  })

  test('whose compressed bytes are far more than their content is refused before they are read', async () => {
    const bytes = bytesOf('noise.arrows')
    const { from } = rangeOf(bytes, [2, 3, 3], 2, 2)
    new DataView(bytes.buffer).setBigInt64(from, 1_000n, true)
    expect(await refusal(readJoin(bytes))).toEqual({
      code: 'body_invalid',
      message:
        'It cannot be read as an Arrow stream: it is damaged: a compressed buffer is larger than its content; write it again.',
    })
  })

  test('whose columns have endless names is refused, because many columns may share the bytes of one name', async () => {
    expect(await refusal(readJoin(bytesOf('name.arrows')))).toEqual({
      code: 'body_too_large',
      message:
        'It cannot be read as an Arrow stream: it has a column whose name has 5,000 bytes; a name may have 4,096.',
    })
  })

  test('whose batch belongs to another schema is refused, not read as other values', async () => {
    const [wholes, texts] = [bytesOf('wholes.arrows'), bytesOf('texts.arrows')]
    const schemaEnd = (bytes: Uint8Array) => readMessages(openFileBytes(bytes))[0]?.to ?? 0
    const mixed = Buffer.concat([wholes.subarray(0, schemaEnd(wholes)), texts.subarray(schemaEnd(texts))])
    expect((await refusal(readJoin(new Uint8Array(mixed)))).message).toContain(
      'a batch has more buffers than its columns need',
    )
  })

  test('with many more categories than rows, or views of endless texts, is refused', async () => {
    expect(await refusal(readJoin(bytesOf('dictionary.arrows')))).toEqual({
      code: 'body_too_large',
      message:
        'It cannot be read as an Arrow stream: the column coded has a dictionary of more than 500,000 values; write plain texts instead of categories.',
    })
    expect(await refusal(readParquetPanel(bytesOf('held.arrows'), [], false, 'arrow'))).toEqual({
      code: 'body_too_large',
      message:
        'It cannot be read as an Arrow stream: the column asset has more than 256 MB of texts in a batch, as views; write it in smaller batches, or as plain strings.',
    })
  })

  test('that extends its dictionary with each batch has one dictionary, which is not copied', async () => {
    const seen = new Set<unknown>()
    const tickers: unknown[] = []
    await readArrowChunks(
      bytesOf('deltas.arrows'),
      { numbers: [], cells: 1_000, textLength: 100 },
      {
        open: () => {},
        take: () => {},
        takeCodes: (name, dictionary, codes, _, length) => {
          if (name !== 'ticker') return
          seen.add(dictionary)
          for (const code of codes.subarray(0, length)) tickers.push(dictionary[code])
        },
      },
    )
    expect(tickers).toEqual(['T0', 'T0', 'T0', 'T1', 'T0', 'T2', 'T0', 'T3', 'T0', 'T4'])
    expect(seen.size).toBe(1)
  })

  test('of a slice of a large table is read if its views are compressed with the texts of all rows', async () => {
    const sent = await readParquetPanel(bytesOf('slice.arrows'), [], false, 'arrow')
    expect(sent.columns).toEqual((await readParquetPanel(bytesOf('slice.parquet'))).columns)
    expect(sent.columns.assetNames[0]).toBe('an asset with a long name 1000')
  })

  test('whose categories have no values at all is read as a column without values', async () => {
    const [coded, plain] = await Promise.all([
      readJoin(bytesOf('nulls.arrows')),
      readJoin(bytesOf('plainNulls.arrows')),
    ])
    expect(coded).toEqual(plain)
  })
})
