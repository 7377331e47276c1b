import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readsOf } from '../../../src/features/backtests/priceReads.ts'

const limits = { total: 1_000, ofAsset: 100, perRead: 120, assetsPerRead: 4 }
const assetsOf = (companies: readonly number[][]) =>
  companies.map((entityIds, asset) => ({
    asset,
    id: `A${asset}`,
    from: entityIds.map((_, at) => at),
    entityIds,
  }))

describe('the reads of the prices of a backtest', () => {
  test('have every asset once, in order, and no more prices than fit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }), {
          maxLength: 20,
        }),
        companies => {
          const counts = new Map(Array.from({ length: 30 }, (_, id) => [id + 1, id]))
          const assets = assetsOf(companies)
          const reads = readsOf(assets, counts, 'daily', { ...limits, total: 10_000 })
          expect(reads.flat()).toEqual(assets)
          for (const read of reads) {
            const prices = read.map(({ entityIds }) =>
              [...new Set(entityIds)].reduce((sum, id) => sum + id - 1, 0),
            )
            expect(read.length).toBeLessThanOrEqual(limits.assetsPerRead)
            if (read.length > 1)
              expect(prices.reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(limits.perRead)
          }
        },
      ),
    )
  })

  test('are refused beyond the limits, in words that say what to send', () => {
    const counts = new Map([
      [1, 100],
      [2, 1],
    ])
    expect(readsOf(assetsOf([[1]]), counts, 'daily', limits)).toHaveLength(1)
    expect(() => readsOf(assetsOf([[1, 2]]), counts, 'daily', limits)).toThrow(
      'The price set daily has 101 prices of A0, every vintage counted. One backtest reads at most 100 of one asset.',
    )
    const ten = Array.from({ length: 10 }, () => [1])
    expect(readsOf(assetsOf(ten), counts, 'daily', limits)).toHaveLength(10)
    expect(() => readsOf(assetsOf([...ten, [2]]), counts, 'daily', limits)).toThrow(
      'The price set daily has 1,001 prices of the 11 assets of the rows, every vintage counted. One backtest reads at most 1,000 in all. Send rows of fewer assets',
    )
  })

  test('an asset without prices or without a company takes none', () => {
    expect(readsOf(assetsOf([[-1], [9]]), new Map(), 'daily', limits)).toHaveLength(1)
    expect(readsOf([], new Map(), 'daily', limits)).toEqual([])
  })
})
