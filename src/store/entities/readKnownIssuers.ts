import type { EntityProfile } from '../../model/statement.ts'
import type { Sql } from '../database.ts'

/** Which of some entities are on record. */
export class KnownIssuers {
  readonly #keys: ReadonlySet<string>

  constructor(rows: readonly { market: string; issuer_id: string }[]) {
    this.#keys = new Set(rows.map(row => `${row.market} ${row.issuer_id}`))
  }

  has(market: string, issuerId: string): boolean {
    return this.#keys.has(`${market} ${issuerId}`)
  }
}

export async function readKnownIssuers(sql: Sql, profiles: readonly EntityProfile[]): Promise<KnownIssuers> {
  return new KnownIssuers(
    await sql<{ market: string; issuer_id: string }[]>`
      select wanted.market, wanted.issuer_id from unnest(
        ${profiles.map(profile => profile.market)}::text[], ${profiles.map(profile => profile.issuerId)}::text[]
      ) as wanted (market, issuer_id)
      cross join lateral (
        select from entity where market = wanted.market and issuer_id = wanted.issuer_id limit 1) known`,
  )
}
