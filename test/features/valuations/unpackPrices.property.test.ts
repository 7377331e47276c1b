import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { unpackPrices } from '../../../src/prices/packedPrices.ts'
import { encodePriceBlock } from '../../../src/prices/priceBlock.ts'
import { emptyPriceRows, type PriceRows } from '../../../src/prices/priceRows.ts'
import {
  closeAsTraded,
  firstDayKnownOn,
  type PriceColumns,
  priceKnownOn,
  splitsBetween,
} from '../../../src/prices/priceSeries.ts'

const maxAgeDays = 10
const basisDays = new Map([
  [1, 120],
  [2, 150],
])

/** Vintages of days 0 to 149. Import 3 is not visible. */
const rowsOf = fc
  .array(
    fc.record({
      day: fc.integer({ min: 0, max: 149 }),
      lag: fc.integer({ min: 0, max: 40 }),
      importId: fc.integer({ min: 1, max: 3 }),
      close: fc.oneof(fc.constant(Number.NaN), fc.integer({ min: 1, max: 900 })),
      split: fc.oneof(
        { arbitrary: fc.constant(1), weight: 5 },
        { arbitrary: fc.constantFrom(2, 0.1, 3), weight: 1 },
      ),
    }),
    { maxLength: 60 },
  )
  .map(list => list.toSorted((a, b) => a.day - b.day || a.lag - b.lag || a.importId - b.importId))

function columnsOf(
  list: readonly { day: number; lag: number; importId: number; close: number; split: number }[],
): PriceRows {
  const rows = emptyPriceRows(list.length)
  for (const [at, { day, lag, importId, close, split }] of list.entries()) {
    rows.days[at] = day
    rows.knownDays[at] = day + lag
    rows.imports[at] = importId
    rows.closes[at] = close / 8
    rows.volumes[at] = at * 1_000
    rows.splitFactors[at] = split
  }
  return rows
}

/** Blocks of 50 days each, as those of years are stored. */
function pack(company: number, security: number, rows: PriceRows): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let start = 0; start < rows.count; ) {
    let end = start
    while (end < rows.count && Math.floor(rows.days[end] / 50) === Math.floor(rows.days[start] / 50)) end++
    const bytes = encodePriceBlock(rows, start, end)
    const head = new DataView(new ArrayBuffer(12))
    for (const [at, value] of [company, security, bytes.length].entries()) head.setInt32(4 * at, value)
    parts.push(new Uint8Array(head.buffer), bytes)
    start = end
  }
  return parts
}

test('what a thread unpacks for a day decides like all visible rows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), rowsOf), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 160 }),
      fc.integer({ min: -20, max: 160 }),
      (securities, lastDay, counted) => {
        const packed = securities.flatMap(([company, list], security) =>
          pack(company, security, columnsOf(list)),
        )
        const blocks = new Uint8Array(Buffer.concat(packed))
        const found = unpackPrices({ blocks, basisDays }, lastDay, maxAgeDays)
        for (const company of [1, 2, 3]) {
          const all = securities
            .filter(([owner]) => owner === company)
            .map(([, list]) => columnsOf(list.filter(({ importId }) => basisDays.has(importId))))
            .map(
              (rows): PriceColumns => ({
                ...rows,
                basisDays: rows.imports.map(id => basisDays.get(id) ?? 0),
              }),
            )
          const decided = (one: PriceColumns) => {
            const price = priceKnownOn(one, lastDay, maxAgeDays)
            const set = { basis: 'split_adjusted', statesSplits: true } as const
            return [
              price === null ? null : [price.day, price.close, closeAsTraded(one, price.row, set)],
              firstDayKnownOn(one, lastDay),
              price === null ? 1 : splitsBetween(one, counted, price.day, lastDay),
            ]
          }
          const isSomething = ([price, first]: readonly unknown[]) => price !== null || first !== null
          expect((found.get(company) ?? []).map(decided).filter(isSomething)).toEqual(
            all.map(decided).filter(isSomething),
          )
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
