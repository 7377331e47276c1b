import { Failure } from '../../errors.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { findPriceSet, type PriceSet, readPriceSets } from '../../prices/priceQueries.ts'
import { freeLicenceNotice, isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { PriceSetList } from './schema.ts'
import { readCoverage, readVersion } from './setQueries.ts'

/** The sets that a caller may see. */
export async function visibleSets(sql: SqlClient, rights: Rights): Promise<PriceSet[]> {
  return (await readPriceSets(sql)).filter(set => set.imports > 0 && rights.maySeePrices(set))
}

/** A set that the caller may see. One that the caller may not see fails as if it did not exist. */
export async function requirePriceSet(
  sql: SqlClient,
  rights: Rights,
  name: string,
  param = 'set',
): Promise<PriceSet> {
  const set = await findPriceSet(sql, name)
  if (set !== null && set.imports > 0 && rights.maySeePrices(set)) return set
  throw new Failure(
    'entity_unknown',
    `There is no price set ${name} that this key may see. GET /api/v1/prices lists those that it may see. The operator imports prices with \`./asfiled prices import\` and shows them with \`./asfiled prices rights\`.`,
    { param },
  )
}

/** @param visible the sets that the caller may see now, as the primary says */
export async function listPriceSets(
  sql: SqlClient,
  rights: Rights,
  visible: readonly PriceSet[],
): Promise<PriceSetList> {
  const sets = (await visibleSets(sql, rights)).filter(({ priceSetId }) =>
    visible.some(set => set.priceSetId === priceSetId),
  )
  const coverage = await readCoverage(
    sql,
    sets.map(({ priceSetId }) => priceSetId),
  )
  return {
    object: 'price_set_list',
    ...(isFreeData(rights) ? { licence: freeLicenceNotice } : {}),
    data_version: await readVersion(sql),
    count: sets.length,
    data: sets.map(set => {
      const covered = coverage.get(set.priceSetId)
      return {
        name: set.name,
        currency: set.currency,
        basis: set.basis,
        states_splits: set.statesSplits,
        states_dividends: set.statesDividends,
        states_delistings: set.statesDelistings,
        latest_version: set.latestVersion,
        companies: covered?.companies ?? 0,
        first: covered?.first ?? null,
        last: covered?.last ?? null,
      }
    }),
  }
}

/** Whose prices these are: the register has no part in them. */
export const attributionOf = ({ name }: PriceSet): string[] => [
  `Prices: the set ${name}, which the operator of this service imported.`,
]
