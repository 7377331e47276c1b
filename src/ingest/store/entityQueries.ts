import type { EntityProfile } from '../../facts/reportedFact.ts'
import type { Sql, TransactionSql } from '../../postgres/client.ts'

export interface SavedEntity {
  readonly entityId: number
  readonly market: string
  readonly issuerId: string
  readonly fiscalYearEnd: string | null
  readonly isNew: boolean
  readonly changed: boolean
  readonly yearEndChanged: boolean
}

interface EntityRecord {
  entity_id: number
  market: string
  issuer_id: string
  ticker: string
  name: string | null
  fiscal_year_end: string | null
}

/** The ID of a filer that no exchange gave a ticker. */
const idWithoutTicker = ({ market, issuerId }: { market: string; issuerId: string }) =>
  market === 'US' ? `CIK${issuerId}` : `${issuerId}.${market}`

/** Registers entities and completes what is known of them. Entities that are unknown and not to be registered
 * are left out of the result. */
export async function saveEntities(
  transaction: TransactionSql,
  stated: readonly EntityProfile[],
): Promise<SavedEntity[]> {
  const known = await readEntities(transaction, stated)
  const profiles = await withoutIdleAssumptions(transaction, stated, known)
  const saved: SavedEntity[] = []
  const added = profiles.filter(profile => profile.registers && !known.has(keyOf(profile)))
  const aliases: { ticker: string; entityId: number }[] = []
  for (const row of await insertEntities(transaction, added)) {
    const { entity_id: entityId, ticker } = row
    if (ticker === idWithoutTicker(identify(row))) aliases.push({ ticker, entityId })
    saved.push({
      ...identify(row),
      fiscalYearEnd: row.fiscal_year_end,
      isNew: true,
      changed: true,
      yearEndChanged: true,
    })
  }
  for (const profile of profiles) {
    const row = known.get(keyOf(profile))
    if (row === undefined) continue
    const better = improve(row, profile)
    const changed =
      better.name !== row.name ||
      better.ticker !== row.ticker ||
      better.fiscal_year_end !== row.fiscal_year_end
    if (changed) await updateEntity(transaction, better, row)
    const yearEndChanged = better.fiscal_year_end !== row.fiscal_year_end
    saved.push({
      ...identify(row),
      fiscalYearEnd: better.fiscal_year_end,
      isNew: false,
      changed,
      yearEndChanged,
    })
  }
  const ids = new Map(saved.map(entity => [keyOf(entity), entity.entityId]))
  for (const profile of profiles) {
    const entityId = ids.get(keyOf(profile))
    if (entityId === undefined) continue
    for (const ticker of profile.tickers ?? []) aliases.push({ ticker, entityId })
  }
  const moved = await saveAliases(transaction, aliases)
  for (const entityId of await removeRefuted(transaction, profiles, ids)) moved.add(entityId)
  return saved.map(entity => (moved.has(entity.entityId) ? { ...entity, changed: true } : entity))
}

/** Assumed tickers say nothing of an entity that has one of them. */
async function withoutIdleAssumptions(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
  known: ReadonlyMap<string, EntityRecord>,
): Promise<readonly EntityProfile[]> {
  const assumed = profiles.filter(profile => profile.tickersAssumed && known.has(keyOf(profile)))
  if (assumed.length === 0) return profiles
  const rows = await transaction<{ ticker: string; entity_id: number }[]>`
    select ticker, entity_id from entity_ticker
    where ticker = any(${assumed.flatMap(profile => profile.tickers ?? [])}::text[])`
  const owners = new Map(rows.map(row => [row.ticker, row.entity_id]))
  return profiles.map(profile => {
    const entityId = known.get(keyOf(profile))?.entity_id
    if (!profile.tickersAssumed || entityId === undefined) return profile
    const hasOne = profile.tickers?.some(ticker => owners.get(ticker) === entityId)
    if (!hasOne) return profile
    const { tickers: _, ...rest } = profile
    return rest
  })
}

/** Takes back tickers that were assumed. Returns the entities that had one. */
async function removeRefuted(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
  ids: ReadonlyMap<string, number>,
): Promise<readonly number[]> {
  const refuted = profiles.flatMap(profile => {
    const entityId = ids.get(keyOf(profile))
    if (entityId === undefined) return []
    return (profile.tickersRefuted ?? []).map(ticker => ({ ticker, entityId }))
  })
  if (refuted.length === 0) return []
  const removed = await transaction<{ entity_id: number }[]>`
    delete from entity_ticker own
    using unnest(${refuted.map(one => one.ticker)}::text[], ${refuted.map(one => one.entityId)}::int[])
      as wrong (ticker, entity_id)
    where own.ticker = wrong.ticker and own.entity_id = wrong.entity_id
    returning own.entity_id`
  return removed.map(row => row.entity_id)
}

const keyOf = (entity: { market: string; issuerId: string }) => `${entity.market} ${entity.issuerId}`

const identify = (row: EntityRecord) => ({
  entityId: row.entity_id,
  market: row.market,
  issuerId: row.issuer_id,
})

async function readEntities(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
): Promise<Map<string, EntityRecord>> {
  const rows = await transaction<EntityRecord[]>`
    select entity.* from unnest(
      ${profiles.map(profile => profile.market)}::text[], ${profiles.map(profile => profile.issuerId)}::text[]
    ) as wanted (market, issuer_id) join entity using (market, issuer_id)`
  return new Map(rows.map(row => [`${row.market} ${row.issuer_id}`, row]))
}

async function insertEntities(
  transaction: TransactionSql,
  added: readonly EntityProfile[],
): Promise<readonly EntityRecord[]> {
  if (added.length === 0) return []
  return transaction<EntityRecord[]>`
    insert into entity (market, issuer_id, ticker, name, fiscal_year_end)
    select * from unnest(
      ${added.map(profile => profile.market)}::text[],
      ${added.map(profile => profile.issuerId)}::text[],
      ${added.map(profile => profile.tickers?.[0] ?? idWithoutTicker(profile))}::text[],
      ${added.map(profile => profile.name ?? null)}::text[],
      ${added.map(profile => profile.fiscalYearEnd ?? null)}::text[]
    ) returning *`
}

function improve(row: EntityRecord, profile: EntityProfile): EntityRecord {
  const tickers = profile.tickers ?? []
  const isFallback = profile.nameIsFallback && row.name !== null
  return {
    ...row,
    name: isFallback ? row.name : (profile.name ?? row.name),
    ticker: tickers.length === 0 || tickers.includes(row.ticker) ? row.ticker : tickers[0],
    fiscal_year_end: profile.fiscalYearEnd ?? row.fiscal_year_end,
  }
}

async function updateEntity(
  transaction: TransactionSql,
  better: EntityRecord,
  row: EntityRecord,
): Promise<void> {
  await transaction`
    update entity set name = ${better.name}, ticker = ${better.ticker}, fiscal_year_end = ${better.fiscal_year_end}
    where entity_id = ${row.entity_id}`
  const stopgap = idWithoutTicker(identify(row))
  if (row.ticker === stopgap && better.ticker !== stopgap) {
    await transaction`delete from entity_ticker where ticker = ${stopgap} and entity_id = ${row.entity_id}`
  }
}

/** Points tickers at entities and returns the entities that gained or lost one. An exchange gives a ticker that
 * became free to somebody else: its former owner falls back to another of its own, or to its number. */
async function saveAliases(
  transaction: TransactionSql,
  aliases: readonly { ticker: string; entityId: number }[],
): Promise<Set<number>> {
  if (aliases.length === 0) return new Set()
  const last = new Map(aliases.map(alias => [alias.ticker, alias.entityId]))
  const tickers = [...last.keys()]
  const owners = await transaction<{ ticker: string; entity_id: number }[]>`
    select ticker, entity_id from unnest(${tickers}::text[]) as taken (ticker) join entity_ticker using (ticker)`
  const moved = await transaction<{ entity_id: number }[]>`
    insert into entity_ticker (ticker, entity_id)
    select * from unnest(${tickers}::text[], ${[...last.values()]}::int[])
    on conflict (ticker) do update set entity_id = excluded.entity_id
      where entity_ticker.entity_id <> excluded.entity_id
    returning entity_id`
  // Looked for by number: there is no index of entities by ticker, and there may be millions.
  const losers = [
    ...owners.filter(owner => owner.entity_id !== last.get(owner.ticker)).map(owner => owner.entity_id),
    ...aliases.filter(alias => alias.entityId !== last.get(alias.ticker)).map(alias => alias.entityId),
  ]
  const changed = new Set(moved.map(row => row.entity_id))
  if (losers.length === 0) return changed
  const robbed = await transaction<{ entity_id: number; ticker: string }[]>`
    update entity set ticker = coalesce(
      (select min(own.ticker) from entity_ticker own where own.entity_id = entity.entity_id),
      case when entity.market = 'US' then 'CIK' || entity.issuer_id else entity.issuer_id || '.' || entity.market end)
    from entity_ticker taken
    where entity.entity_id = any(${losers}::int[]) and entity.ticker = any(${tickers}::text[])
      and taken.ticker = entity.ticker and taken.entity_id <> entity.entity_id
    returning entity.entity_id, entity.ticker`
  if (robbed.length > 0) {
    await transaction`
      insert into entity_ticker (ticker, entity_id)
      select * from unnest(${robbed.map(row => row.ticker)}::text[], ${robbed.map(row => row.entity_id)}::int[])
      on conflict do nothing`
  }
  for (const { entity_id } of robbed) changed.add(entity_id)
  return changed
}

/** Names that a company is found by beside its own; what comes after these is not kept. */
const mostNames = 16
/** Each run of characters is a term of the index. No company's name is longer. */
const longestName = 300

/** Keeps the other names of entities that were saved, none of them twice; those that gained one have changed. A name that a
 * source no longer states stays: people go on using it. */
export async function saveOtherNames(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
  saved: readonly SavedEntity[],
): Promise<readonly SavedEntity[]> {
  const ids = new Map(saved.map(entity => [keyOf(entity), entity.entityId]))
  const pairs = profiles.flatMap(profile => {
    const entityId = ids.get(keyOf(profile))
    if (entityId === undefined) return []
    return (profile.otherNames ?? [])
      .map(name => name.trim())
      .filter(name => name !== '' && name.length <= longestName)
      .map(name => ({ entityId, name }))
  })
  if (pairs.length === 0) return saved
  const gained = await transaction<{ entity_id: number }[]>`
    insert into entity_other_name (entity_id, market, name)
    select entity_id, market, name
    from (
      select n.entity_id, e.market, n.name, n.place,
        row_number() over (partition by n.entity_id order by n.place)
          + (select count(*) from entity_other_name k where k.entity_id = n.entity_id) as ordinal
      from (
        select entity_id, name, min(place) as place
        from unnest(${pairs.map(({ entityId }) => entityId)}::int[], ${pairs.map(({ name }) => name)}::text[])
          with ordinality as sent (entity_id, name, place)
        group by entity_id, name) n
      join entity e on e.entity_id = n.entity_id
      where e.name is distinct from n.name
        and not exists (select from entity_other_name k where k.entity_id = n.entity_id and k.name = n.name)) fresh
    where ordinal <= ${mostNames}
    order by place
    returning entity_id`
  const renamed = new Set(gained.map(row => row.entity_id))
  return saved.map(entity => (renamed.has(entity.entityId) ? { ...entity, changed: true } : entity))
}

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
