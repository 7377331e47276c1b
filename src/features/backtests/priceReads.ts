import type { AssetCompanies } from '../../backtest/priceReturns/computeReturns.ts'
import { Failure } from '../../errors.ts'

/** How many prices a backtest reads, all vintages counted. */
export interface PriceLimits {
  /** In all: 8,000 securities have 40 million closes in 20 years. */
  readonly total: number
  /** Of one asset, whose prices are in memory together. */
  readonly ofAsset: number
  /** At a time, unless a single asset has more. */
  readonly perRead: number
  readonly assetsPerRead: number
}

const usual: PriceLimits = { total: 100_000_000, ofAsset: 2_000_000, perRead: 1_000_000, assetsPerRead: 200 }

/**
 * Divides assets into reads whose prices fit into memory together, in their order. Fails before anything is read if one backtest
 * would read too much.
 *
 * @param counts how many prices each company has; companies without any are left out. Securities that continue those of a
 * company under another one are read with it and not counted
 */
export function readsOf(
  assets: readonly AssetCompanies[],
  counts: ReadonlyMap<number, number>,
  set: string,
  { total, ofAsset, perRead, assetsPerRead }: PriceLimits = usual,
): AssetCompanies[][] {
  const reads: AssetCompanies[][] = []
  let inRead = 0
  let sum = 0
  for (const asset of assets) {
    const prices = [...new Set(asset.entityIds)].reduce((own, id) => own + (counts.get(id) ?? 0), 0)
    if (prices > ofAsset)
      throw tooMany(
        `The price set ${set} has ${shown(prices)} prices of ${asset.id}`,
        ofAsset,
        'of one asset',
      )
    sum += prices
    const last = reads.at(-1)
    if (last === undefined || last.length === assetsPerRead || inRead + prices > perRead) {
      reads.push([asset])
      inRead = prices
    } else {
      last.push(asset)
      inRead += prices
    }
  }
  if (sum > total)
    throw tooMany(
      `The price set ${set} has ${shown(sum)} prices of the ${shown(assets.length)} assets of the rows`,
      total,
      'in all',
    )
  return reads
}

const shown = (count: number): string => count.toLocaleString('en-US')

function tooMany(found: string, limit: number, of: string): Failure {
  return new Failure(
    'backtest_impossible',
    `${found}, every vintage counted. One backtest reads at most ${shown(limit)} ${of}. Send rows of fewer assets, or import fewer vintages into the set.`,
    { param: 'prices.set' },
  )
}
