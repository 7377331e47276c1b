import type { IsoDate } from '../../dates.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import {
  identifyPendingSpells,
  readListedSince,
  recordListChanges,
  type TickerOfEntity,
} from './symbolQueries.ts'

/** An ID that an entity lost because the register now states other IDs. */
export interface ReplacedTicker extends TickerOfEntity {
  /** The new IDs; empty if the lost ID was not a symbol but the entity's number. */
  readonly by: readonly string[]
}

export interface AssignedTickers {
  /** The entities that gained or lost an ID. */
  readonly changed: Set<number>
  readonly gained: readonly TickerOfEntity[]
}

/**
 * Assigns tickers to entities. If an exchange has reused a ticker for another company, the former owner falls back to
 * another of its own tickers or to its number, and the ticker is remembered as a former ID.
 */
export async function assignTickers(
  transaction: TransactionSql,
  assigned: readonly TickerOfEntity[],
  seenOn: IsoDate | null,
): Promise<AssignedTickers> {
  if (assigned.length === 0) return { changed: new Set(), gained: [] }
  const last = new Map(assigned.map(({ ticker, entityId }) => [ticker, entityId]))
  const tickers = [...last.keys()]
  const owners = await readTickerOwners(transaction, tickers)
  const taken = [...owners].filter(([ticker, entityId]) => entityId !== last.get(ticker))
  const since = await readListedSince(
    transaction,
    taken.map(([ticker]) => ticker),
  )
  const moved = await transaction<{ entity_id: number; ticker: string }[]>`
    insert into entity_ticker (ticker, entity_id)
    select * from unnest(${tickers}::text[], ${[...last.values()]}::int[])
    on conflict (ticker) do update set entity_id = excluded.entity_id
      where entity_ticker.entity_id <> excluded.entity_id
    returning entity_id, ticker`
  const changed = new Set(moved.map(row => row.entity_id))
  const gained = moved.map(row => ({ ticker: row.ticker, entityId: row.entity_id }))
  await forgetFormerIds(transaction, [...last.keys()], [...last.values()])
  await identifyPendingSpells(
    transaction,
    [...last].map(([ticker, entityId]) => ({ ticker, entityId })),
  )
  const ended = taken.flatMap(([ticker, entityId]) => {
    const day = since.get(ticker)
    return day === undefined ? [] : [{ ticker, entityId, since: day }]
  })
  await recordListChanges(transaction, { ended, begun: [] }, seenOn)
  // Looked up by number: there is no index of entities by ticker, and there may be millions.
  const lost = [...[...owners].map(([ticker, entityId]) => ({ ticker, entityId })), ...assigned].filter(
    ({ ticker, entityId }) => entityId !== last.get(ticker),
  )
  if (lost.length === 0) return { changed, gained }
  await rememberFormerIds(transaction, lost)
  const losers = lost.map(({ entityId }) => entityId)
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
    const ids = renamed.map(row => row.entity_id)
    await forgetFormerIds(
      transaction,
      renamed.map(row => row.ticker),
      ids,
    )
  }
  for (const { entity_id } of renamed) changed.add(entity_id)
  return { changed, gained }
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

/** Withdraws assumed tickers. Returns the entities that lost one. */
export async function removeRefutedTickers(
  transaction: TransactionSql,
  refuted: readonly TickerOfEntity[],
): Promise<readonly number[]> {
  if (refuted.length === 0) return []
  const removed = await transaction<{ entity_id: number; ticker: string }[]>`
    delete from entity_ticker own
    using unnest(${refuted.map(({ ticker }) => ticker)}::text[], ${refuted.map(({ entityId }) => entityId)}::int[])
      as wrong (ticker, entity_id)
    where own.ticker = wrong.ticker and own.entity_id = wrong.entity_id
    returning own.entity_id, own.ticker`
  const former = removed.map(row => ({ ticker: row.ticker, entityId: row.entity_id }))
  await rememberFormerIds(transaction, former)
  return former.map(({ entityId }) => entityId)
}

/**
 * Ends IDs in whose place the register now states others. If two sources list a company's further IDs
 * differently, none is ended: each import would otherwise remove them and add them back. Returns the entities
 * that lost one.
 */
export async function endReplacedTickers(
  transaction: TransactionSql,
  replaced: readonly ReplacedTicker[],
  seenOn: IsoDate | null,
): Promise<readonly number[]> {
  if (replaced.length === 0) return []
  const since = await readListedSince(
    transaction,
    replaced.map(({ ticker }) => ticker),
  )
  // The preferred ID stays even if it is not listed: another company of the batch may have taken all that
  // are.
  const ended = await transaction<{ entity_id: number; ticker: string }[]>`
    delete from entity_ticker own
    using unnest(${replaced.map(({ ticker }) => ticker)}::text[], ${replaced.map(({ entityId }) => entityId)}::int[])
      as old (ticker, entity_id), entity e
    where own.ticker = old.ticker and own.entity_id = old.entity_id
      and e.entity_id = own.entity_id and e.ticker <> own.ticker
    returning own.entity_id, own.ticker`
  const former = ended.map(row => ({ ticker: row.ticker, entityId: row.entity_id }))
  await rememberFormerIds(transaction, former)
  const owners = await readTickerOwners(
    transaction,
    replaced.map(({ ticker }) => ticker),
  )
  const symbols = replaced.filter(isOtherSymbol)
  await recordListChanges(
    transaction,
    {
      ended: symbols.flatMap(({ ticker, entityId }) => {
        const day = since.get(ticker)
        const isEnded = former.some(one => one.ticker === ticker && one.entityId === entityId)
        return isEnded && day !== undefined ? [{ ticker, entityId, since: day }] : []
      }),
      // Another company of the batch may have taken the former symbol.
      begun: symbols
        .filter(({ ticker, entityId }) => owners.get(ticker) !== entityId)
        .flatMap(({ entityId, by }) => by.map(ticker => ({ ticker, entityId }))),
    },
    seenOn,
  )
  return former.map(({ entityId }) => entityId)
}

/** Whether two IDs differ only in their suffix and are thus the same symbol. */
const isOtherSymbol = ({ ticker, by }: ReplacedTicker): boolean =>
  by.every(other => codeOf(other) !== codeOf(ticker))

/** 005930 of 005930.KS. */
const codeOf = (ticker: string) => ticker.replace(/\.[A-Z]{2}$/, '')

/** Remembers IDs that entities no longer have. Each was once served, so it stays valid. */
export async function rememberFormerIds(
  transaction: TransactionSql,
  former: readonly TickerOfEntity[],
): Promise<void> {
  if (former.length === 0) return
  await transaction`
    insert into entity_former_id (ticker, entity_id)
    select * from unnest(${former.map(({ ticker }) => ticker)}::text[], ${former.map(({ entityId }) => entityId)}::int[])
    on conflict do nothing`
}

/** Removes IDs from the former ones if their companies have them again. */
async function forgetFormerIds(
  transaction: TransactionSql,
  tickers: readonly string[],
  entityIds: readonly number[],
): Promise<void> {
  await transaction`
    delete from entity_former_id former
    using unnest(${tickers}::text[], ${entityIds}::int[]) as own (ticker, entity_id)
    where former.ticker = own.ticker and former.entity_id = own.entity_id`
}
