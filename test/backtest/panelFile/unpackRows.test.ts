import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { unpackRows } from '../../../src/backtest/panelFile/unpackRows.ts'
import { readPanelFile } from '../../../src/backtest/pipeline/readPanelFile.ts'
import { Failure } from '../../../src/errors.ts'

const limits = { bytes: 256 * 1_024 * 1_024 }
const packed = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes))

async function refusal(read: Promise<unknown>): Promise<Failure> {
  const error = await read.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`It was not refused: ${error}`)
}

describe('a gzipped file that no reader of rows can use is refused before it is unpacked whole', () => {
  const megabytes = (count: number, byte: number) => new Uint8Array(count * 1_000_000).fill(byte)

  test('one cell of 200 MB', async () => {
    const error = await refusal(unpackRows(packed(megabytes(200, 0x41)), limits))
    expect(error.code).toBe('body_too_large')
    // The reason names how far it came: not to the end.
    expect(error.message).toMatch(/^The gzipped file has \d{3},\d{3} bytes in its first 0 lines unpacked/)
  }, 20_000)

  test('200 million empty lines', async () => {
    const error = await refusal(unpackRows(packed(megabytes(200, 0x0a)), limits))
    expect([error.code, error.message]).toEqual([
      'body_too_large',
      'The gzipped file has more than 60,000,000 lines unpacked. Split it by date.',
    ])
  }, 20_000)

  test('JSON in an upload, whose first bytes tell', async () => {
    const bytes = packed(Buffer.concat([Buffer.from('[{'), megabytes(200, 0x20)]))
    const error = await refusal(readPanelFile({ bytes, horizon: undefined, settings: {} }))
    expect(error.message).toContain('The file is JSON.')
  }, 20_000)

  test('256 MB of zeros that begin as Parquet', async () => {
    const error = await refusal(
      unpackRows(packed(Buffer.concat([Buffer.from('PAR1'), megabytes(250, 0)])), limits),
    )
    expect([error.code, error.message]).toEqual([
      'body_too_large',
      'The gzipped file is Parquet and has more than 50 times its size unpacked. Send it without gzip: write it with zstd instead.',
    ])
  }, 20_000)

  test('more than a server takes of a file that is not gzipped', async () => {
    const error = await refusal(
      unpackRows(packed(Buffer.from('2024-01-02,A,1,1\n'.repeat(100_000))), { bytes: 1_048_576 }),
    )
    expect([error.code, error.message]).toEqual([
      'body_too_large',
      'The gzipped file is larger than 1 MB when unpacked. Split it by date.',
    ])
  })
})

test('a gzipped file of rows is unpacked to the bytes that were packed, also in several members', async () => {
  const rows = Buffer.from(`date,asset,score,forward_return\n${'2024-01-02,A,1,0.1\n'.repeat(200_000)}`)
  const half = rows.length >> 1
  const members = Buffer.concat([gzipSync(rows.subarray(0, half)), gzipSync(rows.subarray(half))])
  for (const bytes of [packed(rows), new Uint8Array(members)])
    expect(Buffer.from(await unpackRows(bytes, limits)).equals(rows)).toBe(true)
})

test('a damaged gzip is refused as such', async () => {
  const whole = packed(Buffer.from('date,asset,score,forward_return\n'.repeat(1_000)))
  expect((await refusal(unpackRows(whole.slice(0, -30), limits))).message).toBe(
    'The file looks gzipped, but it is damaged. Pack it again.',
  )
})
