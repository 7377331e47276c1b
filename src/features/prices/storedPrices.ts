import type { StoredPrices } from '../../backtest/priceReturns/knownSecurities.ts'
import type { SqlClient } from '../../postgres/client.ts'
import {
  type PriceSet,
  readBasisDays,
  readSecurities,
  readSecuritiesOfCompanies,
  readSuccessors,
  type SuccessorPair,
} from '../../prices/priceQueries.ts'

const maxSteps = 8

/** Reads all prices of companies, and those of the securities that may go on where theirs end. */
export async function readStoredPrices(
  sql: SqlClient,
  set: PriceSet,
  entityIds: readonly number[],
): Promise<StoredPrices> {
  const securities = await readSecuritiesOfCompanies(sql, set.priceSetId, entityIds)
  const successors: SuccessorPair[] = []
  const read = new Set(securities.map(({ assetId }) => assetId))
  let latest = [...read]
  for (let step = 0; step < maxSteps && latest.length > 0; step++) {
    const pairs = await readSuccessors(sql, set.priceSetId, latest)
    successors.push(...pairs)
    latest = [...new Set(pairs.map(({ successorId }) => successorId))].filter(id => !read.has(id))
    securities.push(...(await readSecurities(sql, set.priceSetId, latest)))
    for (const id of latest) read.add(id)
  }
  const { basis, statesSplits } = set
  return {
    set: { basis, statesSplits },
    securities,
    successors,
    basisDays: await readBasisDays(sql, set.priceSetId),
  }
}
