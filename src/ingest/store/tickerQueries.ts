import type { TransactionSql } from '../../postgres/client.ts'

export interface TickerOfEntity {
  readonly ticker: string
  readonly entityId: number
}

/** Assigns tickers to entities and returns the entities that gained or lost one. An exchange reuses a free ticker for another
 * company: its former owner falls back to another of its own, or to its number. */
export async function assignTickers(
  transaction: TransactionSql,
  assigned: readonly TickerOfEntity[],
): Promise<Set<number>> {
  if (assigned.length === 0) return new Set()
  const last = new Map(assigned.map(({ ticker, entityId }) => [ticker, entityId]))
  const tickers = [...last.keys()]
  const owners = await readTickerOwners(transaction, tickers)
  const moved = await transaction<{ entity_id: number }[]>`
    insert into entity_ticker (ticker, entity_id)
    select * from unnest(${tickers}::text[], ${[...last.values()]}::int[])
    on conflict (ticker) do update set entity_id = excluded.entity_id
      where entity_ticker.entity_id <> excluded.entity_id
    returning entity_id`
  const changed = new Set(moved.map(row => row.entity_id))
  // Found by number: there is no index of entities by ticker, and there may be millions.
  const losers = [
    ...[...owners].filter(([ticker, owner]) => owner !== last.get(ticker)).map(([, owner]) => owner),
    ...assigned
      .filter(({ ticker, entityId }) => entityId !== last.get(ticker))
      .map(({ entityId }) => entityId),
  ]
  if (losers.length === 0) return changed
  const renamed = await transaction<{ entity_id: number; ticker: string }[]>`
    update entity set ticker = coalesce(
      (select min(own.ticker) from entity_ticker own where own.entity_id = entity.entity_id),
      case when entity.market = 'US' then 'CIK' || entity.issuer_id else entity.issuer_id || '.' || entity.market end)
    from entity_ticker taken
    where entity.entity_id = any(${losers}::int[]) and entity.ticker = any(${tickers}::text[])
      and taken.ticker = entity.ticker and taken.entity_id <> entity.entity_id
    returning entity.entity_id, entity.ticker`
  if (renamed.length > 0) {
    await transaction`
      insert into entity_ticker (ticker, entity_id)
      select * from unnest(${renamed.map(row => row.ticker)}::text[], ${renamed.map(row => row.entity_id)}::int[])
      on conflict do nothing`
  }
  for (const { entity_id } of renamed) changed.add(entity_id)
  return changed
}

/** The entities that have the tickers, by ticker. */
export async function readTickerOwners(
  transaction: TransactionSql,
  tickers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await transaction<{ ticker: string; entity_id: number }[]>`
    select ticker, entity_id from unnest(${tickers}::text[]) as taken (ticker) join entity_ticker using (ticker)`
  return new Map(rows.map(row => [row.ticker, row.entity_id]))
}

/** Takes back tickers that were assumed. Returns the entities that lost one. */
export async function removeRefutedTickers(
  transaction: TransactionSql,
  refuted: readonly TickerOfEntity[],
): Promise<readonly number[]> {
  if (refuted.length === 0) return []
  const removed = await transaction<{ entity_id: number }[]>`
    delete from entity_ticker own
    using unnest(${refuted.map(({ ticker }) => ticker)}::text[], ${refuted.map(({ entityId }) => entityId)}::int[])
      as wrong (ticker, entity_id)
    where own.ticker = wrong.ticker and own.entity_id = wrong.entity_id
    returning own.entity_id`
  return removed.map(row => row.entity_id)
}
