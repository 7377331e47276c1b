import type { Sql } from '../../postgres/client.ts'
import { type PriceSet, readPriceSets } from '../../prices/priceQueries.ts'
import type { Rights } from '../../rights/rights.ts'

/**
 * The sets of prices, and those with which companies can be valued, read once for each data version: a change of rights makes a new one.
 * Only what pages offer follows from them. Whoever reads prices asks the database for the rights.
 */
export class KnownPriceSets {
  readonly #sql: Sql
  readonly #dataVersion: () => number
  #known: { readonly version: number; readonly sets: Promise<readonly PriceSet[]> } | null = null

  constructor({ sql, dataVersion }: { readonly sql: Sql; readonly dataVersion: () => number }) {
    this.#sql = sql
    this.#dataVersion = dataVersion
  }

  /** Whether the caller may see a set that values companies. */
  async hasUsable(rights: Rights): Promise<boolean> {
    if (!rights.seesAllHistory) return false
    const sets = await this.#sets()
    return sets.some(set => set.basis !== 'total_return' && set.statesSplits && rights.maySeePrices(set))
  }

  /** Whether the caller may see any set. */
  async hasAny(rights: Rights): Promise<boolean> {
    const sets = await this.#sets()
    return sets.some(set => set.imports > 0 && rights.maySeePrices(set))
  }

  #sets(): Promise<readonly PriceSet[]> {
    const version = this.#dataVersion()
    if (this.#known?.version !== version) {
      const sets = readPriceSets(this.#sql)
      // A failure is not kept.
      sets.catch(() => {
        this.#known = null
      })
      this.#known = { version, sets }
    }
    return this.#known.sets
  }
}
