import type { Sql } from '../database.ts'

export interface NewKey {
  readonly digest: Uint8Array
  readonly prefix: string
  readonly lastFour: string
  readonly email: string
}

export interface NewGrant {
  readonly licence: string
  readonly quant: boolean
  readonly perMinute: number
  readonly perDay: number | null
  readonly entityCap: number | null
  readonly bulk: boolean
  readonly evaluationDomain: string | null
  /** The first instant at which the key no longer works; null: never. */
  readonly expiresAt: string | null
}

/** A key and what it was sold with, or neither. null: the e-mail domain already had its evaluation. */
export async function insertKey(sql: Sql, key: NewKey, grant: NewGrant): Promise<number | null> {
  return sql.begin(async transaction => {
    const [row] = await transaction<{ key_id: number }[]>`
      insert into api_key (digest, prefix, last_four, email)
      values (${key.digest}, ${key.prefix}, ${key.lastFour}, ${key.email})
      returning key_id`
    const granted = await transaction`
      insert into key_grant
        (key_id, licence, quant, per_minute, per_day, entity_cap, bulk, evaluation_domain, expires_at)
      values (
        ${row.key_id}, ${grant.licence}, ${grant.quant}, ${grant.perMinute}, ${grant.perDay}, ${grant.entityCap},
        ${grant.bulk}, ${grant.evaluationDomain}, ${grant.expiresAt}::timestamptz)
      on conflict (evaluation_domain) do nothing
      returning grant_id`
    if (granted.length > 0) return row.key_id
    await transaction`delete from api_key where key_id = ${row.key_id}`
    return null
  })
}
