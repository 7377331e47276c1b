import type { Statements } from '../database.ts'
import type { FoundEntity } from './probe.ts'

/** Entities whose ID or registration number is one of those given, the number as it was typed first; the market may be known from a suffix. */
export function findNumbers(
  sql: Statements,
  tickers: readonly string[],
  numbers: readonly string[],
  market: string | null,
  most: number,
): Promise<FoundEntity[]> {
  return sql<FoundEntity[]>`
    select entity_id as "entityId", ticker, name, market
    from entity
    where entity_id in (
        select entity_id from entity_ticker where ticker = any(${[...tickers]})
        union all
        select entity_id from entity where issuer_id = any(${[...numbers]}))
      and (${market}::text is null or market = ${market})
    order by issuer_id = ${numbers[0]} desc, (name is null), char_length(name), ticker collate "C"
    limit ${most}`
}
