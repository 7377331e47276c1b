import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CloseCounts } from '../../../src/features/prices/import/closeCounts.ts'
import { mergePrices } from '../../../src/features/prices/import/mergePrices.ts'
import { decodePriceBlock, encodePriceBlock } from '../../../src/prices/priceBlock.ts'
import { emptyPriceRows, type PriceRows } from '../../../src/prices/priceRows.ts'
import { asKnownOn, type PriceHistory, priceKnownOn, splitsBetween } from '../../../src/prices/priceSeries.ts'

/* Vintages of prices against a plain array of everything that was ever imported, in order of import. */

interface Stated {
  readonly day: number
  readonly known: number
  readonly close: number
  readonly volume: number
  readonly split: number
}

const stated = fc
  .record({
    day: fc.integer({ min: 0, max: 8 }),
    delay: fc.integer({ min: 0, max: 6 }),
    close: fc.oneof(
      fc.constantFrom(10, 10.25, 11),
      fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      fc.constant(Number.NaN),
    ),
    volume: fc.constantFrom(Number.NaN, 0, 100, 250.5),
    split: fc.constantFrom(1, 1, 1, 2, 0.1),
  })
  .map(({ delay, ...row }): Stated => ({ ...row, known: row.day + delay }))

/** An import states each day and known day once. */
const importOf = fc.uniqueArray(stated, { selector: ({ day, known }) => `${day} ${known}`, maxLength: 12 })

function rowsOf(list: readonly Stated[], importId: number): PriceRows {
  const rows = emptyPriceRows(list.length)
  const inOrder = list.toSorted((a, b) => a.day - b.day || a.known - b.known)
  for (const [at, row] of inOrder.entries()) {
    rows.days[at] = row.day
    rows.knownDays[at] = row.known
    rows.imports[at] = importId
    rows.closes[at] = row.close
    rows.volumes[at] = row.volume
    rows.splitFactors[at] = row.split
  }
  return rows
}

/** The row of a day as known on a day: the one with the latest known day, and of these the one of the latest import. */
function knownRow(list: readonly Stated[], day: number, asOf: number): Stated | undefined {
  let found: Stated | undefined
  for (const row of list)
    if (row.day === day && row.known <= asOf && (found === undefined || row.known >= found.known)) found = row
  return found
}

const isEmpty = ({ close, split }: Stated) => Number.isNaN(close) && split === 1
const isSame = (a: Stated, b: Stated) =>
  Object.is(a.close, b.close) && Object.is(a.volume, b.volume) && a.split === b.split

/** The reference: a plain list of everything that was stated. A row that repeats what was known on its known day states nothing. */
function reference(imports: readonly (readonly Stated[])[], asOf: number): Map<number, Stated> {
  const list: Stated[] = []
  for (const one of imports)
    for (const row of one.toSorted((a, b) => a.known - b.known)) {
      const before = knownRow(list, row.day, row.known)
      if (before === undefined ? !isEmpty(row) : !isSame(before, row)) list.push(row)
    }
  const found = new Map<number, Stated>()
  for (let day = 0; day <= asOf; day++) {
    const row = knownRow(list, day, asOf)
    if (row !== undefined && !isEmpty(row)) found.set(day, row)
  }
  return found
}

const nothingAbsent = { volumes: false, splitFactors: false, dividends: false, delistingReturns: false }

function merged(imports: readonly (readonly Stated[])[]): PriceHistory {
  let rows = emptyPriceRows(0)
  for (const [at, one] of imports.entries()) {
    const next = mergePrices(rows, rowsOf(one, at + 1), nothingAbsent).rows
    rows = next.count === 0 ? next : decodePriceBlock(encodePriceBlock(next, 0, next.count))
  }
  return {
    ...rows,
    assetId: 1,
    entityId: 1,
    market: 'US',
    symbols: [],
    basisDays: new Int32Array(rows.count),
  }
}

describe('vintages of prices', () => {
  test('as of every day each day has the price that was known then', () => {
    fc.assert(
      fc.property(fc.array(importOf, { minLength: 1, maxLength: 4 }), imports => {
        const history = merged(imports)
        for (let asOf = -1; asOf <= 16; asOf++) {
          const expected = reference(imports, asOf)
          const series = asKnownOn(history, asOf)
          expect([...series.days]).toEqual([...expected.keys()].sort((a, b) => a - b))
          for (const [at, day] of [...series.days].entries()) {
            const row = expected.get(day)
            expect([series.closes[at], series.volumes[at], series.splitFactors[at]]).toEqual([
              row?.close ?? Number.NaN,
              row?.volume ?? Number.NaN,
              row?.split ?? Number.NaN,
            ])
          }
          const latest = priceKnownOn(history, asOf, 100)
          const lastDay = Math.max(
            ...[...expected].flatMap(([day, { close }]) => (Number.isNaN(close) ? [] : day)),
          )
          expect(latest?.close ?? null).toEqual(expected.get(lastDay)?.close ?? null)
          let product = 1
          for (const [day, { split }] of expected) if (day > 2 && day <= 6) product *= split
          expect(splitsBetween(history, 2, 6, asOf)).toBeCloseTo(product, 12)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('what was known on a day never changes by imports whose known days are later', () => {
    fc.assert(
      fc.property(
        fc.array(importOf, { minLength: 1, maxLength: 3 }),
        importOf,
        fc.integer({ min: 0, max: 14 }),
        (imports, later, asOf) => {
          const before = asKnownOn(merged(imports), asOf)
          const after = asKnownOn(merged([...imports, later.filter(({ known }) => known > asOf)]), asOf)
          expect([...after.closes]).toEqual([...before.closes])
          expect([...after.days]).toEqual([...before.days])
        },
      ),
      { numRuns: 300 },
    )
  })

  test('the listed changes add up to the days that have a close, after every import and as of every day', () => {
    fc.assert(
      fc.property(fc.array(importOf, { minLength: 1, maxLength: 4 }), imports => {
        const counts = new CloseCounts()
        let rows = emptyPriceRows(0)
        for (const [at, one] of imports.entries()) {
          rows = mergePrices(rows, rowsOf(one, at + 1), nothingAbsent, counts.add).rows
          const changes = counts.changes()
          for (let asOf = 0; asOf <= 16; asOf++) {
            const known = reference(imports.slice(0, at + 1), asOf)
            for (let day = 0; day <= asOf; day++) {
              const closes = changes
                .filter(change => change.day === day && change.knownDay <= asOf)
                .reduce((sum, change) => sum + change.closes, 0)
              expect([day, asOf, closes]).toEqual([day, asOf, Number.isFinite(known.get(day)?.close) ? 1 : 0])
            }
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('an equal import stores nothing', () => {
    fc.assert(
      fc.property(fc.array(importOf, { minLength: 1, maxLength: 3 }), imports => {
        const history = merged(imports)
        const last = imports[imports.length - 1]
        const again = mergePrices(history, rowsOf(last, 9), nothingAbsent)
        expect(again.stored).toBe(0)
        expect(again.rows.count).toBe(history.count)
      }),
      { numRuns: 300 },
    )
  })

  test('a block gives back every bit of what it stores', () => {
    const number = fc.oneof(
      fc.double({ noDefaultInfinity: true }),
      fc.integer({ min: 0, max: 1e9 }).map(cents => cents / 100),
      fc.constant(Number.NaN),
    )
    const row = fc.record({
      day: fc.integer({ min: -20_000, max: 40_000 }),
      known: fc.integer({ min: 0, max: 9_000 }),
      a: number,
      b: number,
      c: number,
    })
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 9 }),
        (list, importId) => {
          const sorted = list.toSorted((x, y) => x.day - y.day)
          const rows = emptyPriceRows(list.length)
          for (const [at, { day, known, a, b, c }] of sorted.entries()) {
            rows.days[at] = day
            rows.knownDays[at] = day + known
            rows.imports[at] = importId + (at % 2)
            rows.closes[at] = a
            rows.volumes[at] = Math.abs(b)
            rows.splitFactors[at] = at % 7 === 0 ? c : 1
            rows.delistingReturns[at] = at % 5 === 0 ? b : Number.NaN
          }
          const back = decodePriceBlock(encodePriceBlock(rows, 0, rows.count))
          for (const column of ['days', 'knownDays', 'imports'] as const)
            expect(back[column]).toEqual(rows[column])
          for (const column of [
            'closes',
            'volumes',
            'splitFactors',
            'dividends',
            'delistingReturns',
          ] as const)
            expect([...back[column]].every((value, at) => Object.is(value, rows[column][at]))).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a damaged block fails and never hangs', () => {
    const rows = rowsOf(
      Array.from({ length: 60 }, (_, day) => ({
        day,
        known: day,
        close: 10 + day / 7,
        volume: day,
        split: 1,
      })),
      3,
    )
    const block = encodePriceBlock(rows, 0, rows.count)
    fc.assert(
      fc.property(fc.nat({ max: block.length - 1 }), fc.nat({ max: 255 }), fc.boolean(), (at, byte, cut) => {
        const damaged = cut
          ? block.slice(0, at)
          : Uint8Array.from(block, (old, index) => (index === at ? byte : old))
        try {
          decodePriceBlock(damaged)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
