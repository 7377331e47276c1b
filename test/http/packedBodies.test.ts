import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { sellKey } from './callers.ts'
import { type RealServer, realServer } from './realServer.ts'

setDefaultTimeout(120_000)

let server: RealServer
let quant = ''
const folder = mkdtempSync(join(tmpdir(), 'asfiled-packed-'))
const uploads = join(folder, 'uploads')
const limitMb = 8
beforeAll(async () => {
  server = await realServer({ settings: { BODY_LIMIT_MB: String(limitMb), DATA_DIR: folder } })
  quant = `Bearer ${await sellKey(server.sql, { licence: 'personal', quant: true })}`
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

type Bytes = Uint8Array<ArrayBuffer>
const utf8 = (text: string): Bytes => new TextEncoder().encode(text)
/** Cut in two: a body may have several members or frames. */
const inTwo = (bytes: Uint8Array, pack: (part: Uint8Array) => Uint8Array): Bytes => {
  const middle = bytes.length >> 1
  return new Uint8Array(Buffer.concat([pack(bytes.subarray(0, middle)), pack(bytes.subarray(middle))]))
}
const packed: Readonly<Record<string, (bytes: Uint8Array) => Bytes>> = {
  gzip: bytes => inTwo(bytes, part => gzipSync(part)),
  zstd: bytes => inTwo(bytes, part => zstdCompressSync(part)),
}

async function post(
  path: string,
  body: Bytes | ReadableStream,
  headers: Record<string, string>,
  authorization = quant,
) {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: authorization, ...headers },
    body,
  })
  const text = await response.text()
  return { status: response.status, text, error: response.ok ? null : JSON.parse(text).error }
}

const day = (i: number) => new Date(86_400_000 * (14_000 + i)).toISOString().slice(0, 10)
/** @param dates with 1,000 names each */
function csvOf(dates: number): string {
  const lines = ['date,asset,market,score,forward_return']
  for (let date = 0; date < dates; date++)
    for (let i = 0; i < 1_000; i++)
      lines.push(`${day(date)},A${i},US,${Math.sin(date * 7 + i)},${Math.cos(date + i * 3) / 50}`)
  return `${lines.join('\r\n')}\r\n`
}
const smallCsv = csvOf(3)

const cases: readonly [path: string, type: string, body: string][] = [
  ['backtest', 'text/csv', smallCsv],
  ['backtest', 'application/json', JSON.stringify({ source: { market: 'US' } })],
  [
    'backtests/batch',
    'application/json',
    JSON.stringify({ configs: [{ quantile: 0.1 }], source: { market: 'US' } }),
  ],
  ['as-of?metrics=revenue&format=csv', 'text/csv', 'date,ticker\n2010-02-01,AAPL\n2009-12-01,AAPL\n'],
]

describe('a packed body is answered as if it had not been packed', () => {
  for (const [path, type, body] of cases)
    for (const [encoding, pack] of Object.entries(packed))
      test(`${path} ${type} ${encoding}`, async () => {
        const plain = await post(path, utf8(body), { 'Content-Type': type })
        expect(plain.status).toBe(200)
        const answer = await post(path, pack(utf8(body)), {
          'Content-Type': type,
          'Content-Encoding': encoding,
        })
        expect(answer).toEqual(plain)
      })
})

describe('a panel is the same panel whatever its form', () => {
  // More than stays in memory.
  const dates = 180
  const csv = csvOf(dates)
  const lines = csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map(line => line.split(','))
  const columns = {
    date: lines.map(cells => cells[0]),
    asset: lines.map(cells => cells[1]),
    market: lines.map(cells => cells[2]),
    score: lines.map(cells => Number(cells[3])),
    forward_return: lines.map(cells => Number(cells[4])),
  }
  const parquet = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'date', data: columns.date, type: 'STRING' },
        { name: 'asset', data: columns.asset, type: 'STRING' },
        { name: 'market', data: columns.market, type: 'STRING' },
        { name: 'score', data: columns.score, type: 'DOUBLE' },
        { name: 'forward_return', data: columns.forward_return, type: 'DOUBLE' },
      ],
    }),
  )
  const rows = lines.map((_, i) => ({
    date: columns.date[i],
    asset: columns.asset[i],
    market: columns.market[i],
    score: columns.score[i],
    forward_return: columns.forward_return[i],
  }))
  const forms: readonly [name: string, type: string, body: Bytes, encoding?: string][] = [
    ['CSV', 'text/csv', utf8(csv)],
    ['CSV with gzip', 'text/csv', packed.gzip(utf8(csv)), 'gzip'],
    ['CSV with zstd and a byte order mark', 'text/csv', packed.zstd(utf8(`\uFEFF${csv}`)), 'zstd'],
    ['NDJSON', 'application/x-ndjson', utf8(rows.map(row => JSON.stringify(row)).join('\n'))],
    ['JSON rows', 'application/json', utf8(JSON.stringify({ panel: rows }))],
    [
      'JSON columns with gzip',
      'application/json',
      packed.gzip(utf8(JSON.stringify({ panel: columns }))),
      'gzip',
    ],
    ['Parquet', 'application/vnd.apache.parquet', parquet],
    ['Parquet with zstd', 'application/parquet', packed.zstd(parquet), 'zstd'],
  ]
  let id = ''
  for (const [name, type, body, encoding] of forms)
    test(name, async () => {
      const headers = { 'Content-Type': type, ...(encoding ? { 'Content-Encoding': encoding } : {}) }
      const { status, text } = await post('panels', body, headers)
      const panel = JSON.parse(text)
      expect([status, panel.n_rows]).toEqual([id === '' ? 201 : 200, 1_000 * dates])
      id ||= panel.id
      expect(panel.id).toBe(id)
      // Its file is gone.
      expect(readdirSync(folder).includes('uploads') ? readdirSync(uploads) : []).toEqual([])
    })

  test('a fault far into a file is named by its line, and the file is deleted', async () => {
    const broken = [...csv.trimEnd().split('\r\n')]
    broken[150_000] = `${day(150)},A1,US,much,0`
    const { status, error } = await post('panels', utf8(broken.join('\n')), { 'Content-Type': 'text/csv' })
    expect([status, error.param, error.message]).toEqual([
      400,
      'line 150001.score',
      'line 150001.score is "much"; it must be a number from -1e+300 to 1e+300 or an empty cell.',
    ])
    expect(readdirSync(uploads)).toEqual([])
  })

  test('rows that are given twice are named by their lines', async () => {
    const twice = `${csv}${lines[3].join(',')}\r\n`
    const { error } = await post('panels', utf8(twice), { 'Content-Type': 'text/csv' })
    expect(error.message).toStartWith(`line 5 and line ${lines.length + 2} are both rows of asset "A3"`)
  })

  test('Parquet is a body of a backtest, too, and its settings are query parameters', async () => {
    const small = new Uint8Array(
      parquetWriteBuffer({
        columnData: Object.entries(columns).map(([name, data]) => ({
          name,
          data: data.slice(0, 60_000),
          type: typeof data[0] === 'string' ? ('STRING' as const) : ('DOUBLE' as const),
        })),
      }),
    )
    const query = `backtest?config=${encodeURIComponent('{"quantile":0.2}')}`
    const answer = await post(query, small, { 'Content-Type': 'application/vnd.apache.parquet' })
    const text = [csv.slice(0, csv.indexOf('\r\n')), ...lines.slice(0, 60_000).map(cells => cells.join(','))]
    expect(answer).toEqual(await post(query, utf8(text.join('\n')), { 'Content-Type': 'text/csv' }))
    expect(answer.status).toBe(200)
  })
})

describe('a packed body is bounded by what it unpacks to', () => {
  const zeros = (bytes: number) => new Uint8Array(bytes)

  for (const [encoding, pack] of Object.entries(packed)) {
    test(`${encoding}: more than a body may have`, async () => {
      const bomb = pack(zeros((limitMb + 1) * 1_024 * 1_024))
      expect(bomb.length).toBeLessThan(100_000)
      const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': encoding }
      const { status, error } = await post('backtest', bomb, headers)
      expect([status, error.code, error.message]).toEqual([
        413,
        'body_too_large',
        'The body has more; the limit is 8 MB. Send fewer rows.',
      ])
    })

    test(`${encoding}: more than a demo caller may have`, async () => {
      const bomb = pack(zeros(2 * 1_024 * 1_024))
      const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': encoding }
      const { status, error } = await post('as-of?metrics=revenue', bomb, headers, 'Bearer demo')
      expect([status, error.code]).toEqual([413, 'body_too_large'])
      expect(error.message).toContain('the limit for demo and free keys is 1 MB')
    })

    test(`${encoding}: cut, damaged, or something else`, async () => {
      const whole = pack(utf8(smallCsv))
      const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': encoding }
      for (const body of [whole.slice(0, -9), utf8(smallCsv)])
        for (const path of ['backtest', 'panels']) {
          const { status, error } = await post(path, body, headers)
          expect([status, error.code, error.message]).toEqual([
            400,
            'body_invalid',
            expect.stringContaining(`The body looks packed with ${encoding}, but cannot be unpacked`),
          ])
        }
    })
  }

  test('a frame of zstd with a window that would take more memory than a body', async () => {
    // RFC 8878: magic number, a descriptor without a size, and a window of 2^27 bytes.
    const frame = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0x00, 0x00])
    const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': 'zstd' }
    const { status, error } = await post('panels', frame, headers)
    expect([status, error.message]).toEqual([400, expect.stringContaining('its window is larger than 8 MB')])
  })

  test('another encoding is refused before the body is read', async () => {
    const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': 'br' }
    const { status, error } = await post('panels', utf8(smallCsv), headers)
    expect([status, error.message]).toEqual([
      415,
      'Content-Encoding is br. Send the body with gzip, with zstd, or without Content-Encoding.',
    ])
  })
})
