import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import { type Dataset, datasetBytes, nameAt, nameCount } from '../../../src/backtest/dataset/dataset.ts'
import { openDataset, packDataset } from '../../../src/backtest/dataset/packed.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import type { Row } from '../loopReference.ts'
import { columnsOf, datasetOf } from '../rows.ts'

/** The bits of every column, so that NaN and -0 are compared too. */
function bitsOf({ assets, markets, ...columns }: Dataset) {
  const parts = {
    ...columns,
    ids: assets.bytes,
    idsAt: assets.offsets,
    codes: markets.bytes,
    codesAt: markets.offsets,
  }
  return Object.entries(parts).map(([name, column]) => [
    name,
    ArrayBuffer.isView(column)
      ? Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('hex')
      : column,
  ])
}

const anyCells = fc
  .uniqueArray(
    fc.record({
      day: fc.integer({ min: 19_000, max: 19_005 }),
      asset: fc.oneof(
        fc.constantFrom('A', 'é', '台積電', '😀', 'a,b'),
        fc.string({ minLength: 1, maxLength: 5 }),
      ),
      market: fc.constantFrom('', 'US', 'TW'),
      // A panel with an infinite number is refused, and the mean of two infinities is a NaN of either sign.
      score: fc.oneof(fc.double({ noDefaultInfinity: true }), fc.constantFrom(Number.NaN, -0, 5e-324)),
      forwardReturn: fc.oneof(fc.double({ noDefaultInfinity: true }), fc.constant(Number.NaN)),
    }),
    { selector: cell => `${cell.day} ${cell.asset}`, minLength: 1, maxLength: 30 },
  )
  .filter(list => list.every(cell => cell.asset.isWellFormed()))

test('a packed dataset opens as the same dataset, to the bit', () => {
  fc.assert(
    fc.property(anyCells, list => {
      const data = datasetOf(list)
      const opened = openDataset(packDataset(data))
      if (opened === null) throw new Error('not opened')
      expect(bitsOf(opened)).toEqual(bitsOf(data))
      expect(rankDataset(opened).ranking).toEqual(rankDataset(data).ranking)
    }),
    { numRuns: 500 },
  )
})

test('a packed dataset has any of its optional columns, each in its own place', () => {
  const list: Row[] = Array.from({ length: 12 }, (_, i) => ({
    day: 19_000 + Math.floor(i / 4),
    asset: `A${i % 4}`,
    market: 'US',
    score: i,
    forwardReturn: i / 100,
  }))
  const column = (scale: number) => Float64Array.from(list, (_, i) => (i % 5 === 0 ? Number.NaN : scale * i))
  for (let chosen = 0; chosen < 32; chosen++) {
    const has = (bit: number) => (chosen & (1 << bit)) !== 0
    const { dataset: data } = buildDataset({
      ...columnsOf(list),
      ...(has(0) ? { dollarVolume: column(1e6) } : {}),
      ...(has(1) ? { close: column(10) } : {}),
      ...(has(2) ? { borrowBps: column(7) } : {}),
      ...(has(3) ? { group: Uint16Array.from(list, (_, i) => i % 3), groupNames: ['', 'G1', 'G2'] } : {}),
      ...(has(4)
        ? {
            extras: [
              { name: 'beta', values: column(0.1) },
              { name: 'size', values: column(0.2) },
            ],
          }
        : {}),
    })
    if (data === null) throw new Error('a cell is repeated')
    const opened = openDataset(packDataset(data))
    if (opened === null) throw new Error('not opened')
    const optional = ({ dollarVolume, close, borrowBps, group, extras = [] }: Dataset) => [
      ...[dollarVolume, close, borrowBps, group?.of].map(values => values && Array.from(values)),
      ...extras.map(({ name, values }) => [name, Array.from(values)]),
    ]
    expect(optional(opened)).toEqual(optional(data))
    expect(
      optional(opened)
        .slice(0, 4)
        .map(values => values !== undefined),
    ).toEqual([0, 1, 2, 3].map(has))
  }
})

test('a panel that an earlier version stored opens: its header has 0 where later columns are counted', () => {
  // Two rows of one name without a market, written out: magic, layout 1, rows, dates, names, markets, bytes of their names,
  // one market per name, then nothing.
  const header = Int32Array.of(0x70667361, 1, 2, 2, 1, 1, 1, 0, 1)
  const packed = new Uint8Array(new SharedArrayBuffer(64 + 8 * 4 + 4 * (2 + 2 + 3 + 2 + 2) + 2 * 3 + 1))
  packed.set(new Uint8Array(header.buffer))
  packed.set(new Uint8Array(Float64Array.of(1, 2, 0.25, -0.5).buffer), 64)
  packed.set(new Uint8Array(Int32Array.of(0, 0, 10, 11, 0, 1, 2, 0, 1, 0, 0).buffer), 96)
  packed[packed.length - 1] = 0x41
  const opened = openDataset(packed)
  if (opened === null) throw new Error('not opened')
  expect([Array.from(opened.days), Array.from(opened.score), Array.from(opened.forwardReturn)]).toEqual([
    [10, 11],
    [1, 2],
    [0.25, -0.5],
  ])
  expect([nameAt(opened.assets, 0), opened.close, opened.borrowBps, opened.group, opened.extras]).toEqual([
    'A',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('the same rows in another order are the same bytes', () => {
  fc.assert(
    fc.property(anyCells, list => {
      const packed = packDataset(datasetOf(list))
      expect(Buffer.compare(packed, packDataset(datasetOf([...list].reverse())))).toBe(0)
    }),
    { numRuns: 300 },
  )
})

test('bytes that are cut, longer, empty or of another layout do not open', () => {
  const packed = packDataset(datasetOf([{ day: 1, asset: 'A', market: '', score: 1, forwardReturn: 0 }]))
  const changed = (at: number) => {
    const copy = packed.slice()
    copy[at] ^= 1
    return copy
  }
  expect(openDataset(packed)).not.toBeNull()
  for (const broken of [
    packed.slice(0, -1),
    new Uint8Array([...packed, 0]),
    changed(0),
    changed(4),
    changed(8),
    changed(20),
    new Uint8Array(0),
    new Uint8Array(64),
  ]) {
    expect(openDataset(broken)).toBeNull()
  }
})

test('a row of a ranked dataset takes less than 40 bytes of memory, names and dates included', () => {
  const list: Row[] = []
  for (let day = 0; day < 100; day++) {
    for (let i = 0; i < 500; i++) {
      list.push({
        day,
        asset: `ASSET${i}.LONG-NAME`,
        market: 'US',
        score: Math.sin(i * day),
        forwardReturn: 0,
      })
    }
  }
  const opened = openDataset(packDataset(datasetOf(list)))
  if (opened === null) throw new Error('not opened')
  const data = rankDataset(opened)
  expect(datasetBytes(data) / list.length).toBeLessThan(40)
  // Every column is a view of the packed bytes.
  const { ranking, assets, markets, ...columns } = data
  const views = [columns, assets, markets].flatMap(part => Object.values(part)).filter(ArrayBuffer.isView)
  expect(new Set(views.map(view => view.buffer)).size).toBe(1)
  expect(views[0].buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(nameAt(data.assets, nameCount(data.assets) - 1)).toBe('ASSET99.LONG-NAME')
})
