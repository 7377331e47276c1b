import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import {
  type ColumnSpec,
  evenSteps,
  join,
  type PageSpec,
  parquetFile,
  plainTexts,
  snappyOf,
  withFooter,
} from './parquetBytes.ts'

/** A body of a join that would take far more memory than any join needs, and what the refusal says. */
export interface Bomb {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly reason: RegExp
}

const letter = 0x41
const megabyte = 1_000_000
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const packers = {
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes, quick),
} as const

/** A page of dates takes a few bytes: their differences are 0. */
const dates = (rows: number): ColumnSpec => {
  const packed = evenSteps(18_262, 0, rows)
  const page: PageSpec = {
    values: rows,
    encoding: 'DELTA_BINARY_PACKED',
    packed,
    unpackedBytes: packed.length,
  }
  return { name: 'date', type: 'INT32', pages: [page] }
}

const tickers = (codec: ColumnSpec['codec'], ...pages: PageSpec[]): ColumnSpec => ({
  name: 'ticker',
  type: 'BYTE_ARRAY',
  pages,
  ...(codec === undefined ? {} : { codec }),
})

const same = (length: number) => new Uint8Array(length).fill(letter)

function oneCell(codec: keyof typeof packers, length: number, rows = 1): Bomb {
  const plain = plainTexts(same(length))
  const page = { values: rows, packed: packers[codec](plain), unpackedBytes: plain.length }
  return {
    name: `${rows === 1 ? 'a cell' : `a cell in ${rows} rows`} of ${length / megabyte} MB, ${codec}`,
    bytes: parquetFile(rows, [dates(rows), tickers(codec, page)]),
    reason:
      rows === 1 ? /the column ticker has (a page of )?[\d,]+ bytes unpacked/ : /has a value of [\d,]+ bytes/,
  }
}

function snappyCell(): Bomb {
  const length = 20 * megabyte
  const head = new Uint8Array(Uint32Array.of(length - 4).buffer)
  const page = { values: 1, packed: snappyOf(letter, length, head), unpackedBytes: length }
  return {
    name: 'a cell of 20 MB, SNAPPY',
    bytes: parquetFile(1, [dates(1), tickers('SNAPPY', page)]),
    reason: /the column ticker has (a page of )?[\d,]+ bytes unpacked/,
  }
}

/** The footer states a small column. */
function lyingFooter(length: number): Bomb {
  const plain = plainTexts(same(length))
  const page = { values: 1, packed: packers.ZSTD(plain), unpackedBytes: plain.length }
  return {
    name: 'a page that is larger than its footer states',
    bytes: parquetFile(1, [dates(1), { ...tickers('ZSTD', page), statedBytes: 100 }]),
    reason: /has a page of [\d,]+ bytes unpacked for 1 value/,
  }
}

/** Pages are small, but a million of them are not. */
function manyPages(): Bomb {
  const plain = plainTexts(same(60_000))
  const page = { values: 1, packed: packers.ZSTD(plain), unpackedBytes: plain.length }
  const pages = Array.from({ length: 4_000 }, () => page)
  return {
    name: 'cells of 60 KB, a page for each',
    bytes: parquetFile(4_000, [dates(4_000), { ...tickers('ZSTD', ...pages), statedBytes: 100 }]),
    reason: /the column ticker has a value of 60,000 bytes/,
  }
}

/** A run of indexes for all rows takes 6 bytes. */
function repeatedEntry(entryBytes: number, rows: number): Bomb {
  const plain = plainTexts(same(entryBytes))
  const entry: PageSpec = {
    kind: 'dictionary',
    values: 1,
    packed: packers.ZSTD(plain),
    unpackedBytes: plain.length,
  }
  const run = Uint8Array.of(1, ...Buffer.from(varintOf(rows * 2)), 0)
  const page: PageSpec = {
    values: rows,
    encoding: 'RLE_DICTIONARY',
    packed: packers.ZSTD(run),
    unpackedBytes: run.length,
  }
  return {
    name: `an entry of ${entryBytes} bytes that ${rows} rows repeat`,
    bytes: parquetFile(rows, [dates(rows), tickers('ZSTD', entry, page)]),
    reason: /the column ticker has a (value|page) of [\d,]+ bytes/,
  }
}

function varintOf(value: number): number[] {
  const bytes: number[] = []
  let left = value
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128)
  return [...bytes, left]
}

function manyEntries(): Bomb {
  const entries = 50 * megabyte
  const plain = new Uint8Array(4 * entries)
  const page: PageSpec = {
    kind: 'dictionary',
    values: entries,
    packed: packers.ZSTD(plain),
    unpackedBytes: plain.length,
  }
  return {
    name: 'a dictionary of 50 million empty texts',
    bytes: parquetFile(1, [dates(1), { ...tickers('ZSTD', page), statedBytes: 100 }]),
    reason: /has a dictionary of 50,000,000 values for 1 row/,
  }
}

/** A file has the bytes of a dictionary once, and each of its row groups refers to them. */
function sharedDictionary(): Bomb {
  const entries = 100_000
  const plain = plainTexts(...new Array<Uint8Array>(entries).fill(same(60)))
  const entry: PageSpec = {
    kind: 'dictionary',
    values: entries,
    packed: packers.ZSTD(plain),
    unpackedBytes: plain.length,
  }
  const run = packers.ZSTD(Uint8Array.of(1, 2, 0))
  const page: PageSpec = { values: 1, encoding: 'RLE_DICTIONARY', packed: run, unpackedBytes: 3 }
  return {
    name: 'a dictionary of 100,000 texts that 3,000 row groups of one row share',
    bytes: parquetFile(1, [dates(1), tickers('ZSTD', entry, page)], {}, 3_000),
    reason: /the dictionaries of its row groups have more than 506,000 values together/,
  }
}

/** Each text is the one before and a letter: 5,000 bytes become 12 MB, 60,000 become 1.8 GB. */
function growingTexts(rows: number): Bomb {
  const plain = join(evenSteps(0, 1, rows), evenSteps(1, 0, rows), same(rows))
  const page: PageSpec = {
    values: rows,
    encoding: 'DELTA_BYTE_ARRAY',
    packed: packers.ZSTD(plain),
    unpackedBytes: plain.length,
  }
  return {
    name: 'texts that each continue the one before',
    bytes: parquetFile(rows, [dates(rows), tickers('ZSTD', page)]),
    reason: /has a value of [\d,]+ bytes/,
  }
}

function longLengths(): Bomb {
  const plain = join(evenSteps(100 * megabyte, 0, 1_000), same(1_000))
  const page: PageSpec = {
    values: 1_000,
    encoding: 'DELTA_LENGTH_BYTE_ARRAY',
    packed: packers.ZSTD(plain),
    unpackedBytes: plain.length,
  }
  return {
    name: 'lengths of 100 MB each',
    bytes: parquetFile(1_000, [dates(1_000), tickers('ZSTD', page)]),
    reason: /has a value of 100,000,000 bytes/,
  }
}

const magic = new TextEncoder().encode('PAR1')

/** A struct without fields takes a byte in the file and an object in memory. */
function manyEntriesOfFooter(): Bomb {
  const empty = Array.from({ length: 500_000 }, () => ({}))
  return {
    name: 'a footer of 500,000 empty entries',
    bytes: parquetFile(1, [dates(1)], { 5: { list: empty } }),
    reason: /its description has more than 250,000 entries/,
  }
}

function largeFooter(): Bomb {
  return {
    name: 'a footer with a text of 9 MB',
    bytes: parquetFile(1, [dates(1)], { 6: same(9 * megabyte) }),
    reason: /its description \(the footer\) has [\d,]+ bytes/,
  }
}

function manyRows(): Bomb {
  const rows = 400 * megabyte
  const column = { ...dates(1), name: 'ticker' }
  return {
    name: '400 million rows',
    bytes: parquetFile(rows, [dates(1), column]),
    reason: /more than 10,000,000 rows/,
  }
}

/** All kinds of bodies that are refused with 413. They take from 300 bytes to 9 MB.
 *
 * @param cellMegabytes what the large cells become: more takes longer to pack */
export function parquetBombs(cellMegabytes: number): Bomb[] {
  const length = cellMegabytes * megabyte
  return [
    oneCell('ZSTD', length),
    oneCell('GZIP', length),
    oneCell('BROTLI', length),
    snappyCell(),
    // The rows would be worth the bytes, if they had any.
    oneCell('ZSTD', 2 * length, 5_000_000),
    oneCell('GZIP', 2 * length, 5_000_000),
    lyingFooter(length),
    manyPages(),
    repeatedEntry(65_536, 5_000_000),
    manyEntries(),
    sharedDictionary(),
    growingTexts(60_000),
    longLengths(),
    manyEntriesOfFooter(),
    largeFooter(),
    manyRows(),
  ]
}

/** Files that contradict themselves. Readers used to take unlimited memory or time for them. */
export function damagedFiles(): Omit<Bomb, 'reason'>[] {
  const plain = plainTexts(same(40 * megabyte))
  const lying = { values: 1, packed: packers.ZSTD(plain), unpackedBytes: 69 }
  const longRun = Uint8Array.of(1, ...varintOf(2 ** 31), 0)
  const noDictionary: PageSpec = {
    values: 1,
    encoding: 'RLE_DICTIONARY',
    packed: longRun,
    unpackedBytes: longRun.length,
  }
  const blocks = join(Uint8Array.from([...varintOf(128), ...varintOf(2 ** 31), 1, 0]), new Uint8Array(100))
  const delta: PageSpec = {
    values: 100,
    encoding: 'DELTA_BINARY_PACKED',
    packed: blocks,
    unpackedBytes: blocks.length,
  }
  const empty = Array.from({ length: 100_000 }, () => ({
    values: 0,
    packed: new Uint8Array(0),
    unpackedBytes: 0,
  }))
  const footer = (bytes: number[]) => withFooter(magic, Uint8Array.from(bytes))
  return [
    {
      name: 'a page that is larger than its header states',
      bytes: parquetFile(1, [dates(1), tickers('ZSTD', lying)]),
    },
    {
      name: 'indexes without a dictionary',
      bytes: parquetFile(1, [dates(1), tickers(undefined, noDictionary)]),
    },
    {
      name: 'differences in two billion parts',
      bytes: parquetFile(100, [
        { ...dates(100), pages: [delta] },
        { ...dates(100), name: 'ticker' },
      ]),
    },
    { name: 'pages without values', bytes: parquetFile(1, [dates(1), tickers(undefined, ...empty)]) },
    // Field 2, a list of 2^28 structs.
    { name: 'a list that claims 268 million entries', bytes: footer([0x29, 0xfc, ...varintOf(2 ** 28), 0]) },
    {
      name: 'a number without an end',
      bytes: footer([0x16, ...new Array<number>(1_000_000).fill(0xff), 0, 0]),
    },
    { name: 'a million nested entries', bytes: footer(new Array<number>(1_000_000).fill(0x1c)) },
  ]
}
