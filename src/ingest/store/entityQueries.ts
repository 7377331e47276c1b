import type { IsoDate } from '../../dates.ts'
import { type EntityProfile, entityKey } from '../../facts/reportedFact.ts'
import type { Sql, SqlClient, TransactionSql } from '../../postgres/client.ts'
import { planByIndex } from './importQueries.ts'
import type { TickerOfEntity } from './symbolQueries.ts'
import {
  assignTickers,
  endReplacedTickers,
  readTickerOwners,
  rememberFormerIds,
  removeRefutedTickers,
} from './tickerQueries.ts'

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
  sector: string | null
  exchange: string | null
  status: string | null
}

/**
 * Adds entities, and completes known ones. Unknown entities are missing from the result if their source may
 * not add entities.
 *
 * @param seenOn the day on which the register was read; null: today
 */
export async function saveEntities(
  transaction: TransactionSql,
  stated: readonly EntityProfile[],
  seenOn: IsoDate | null,
): Promise<SavedEntity[]> {
  const known = await readEntities(transaction, stated)
  const profiles = await withoutIdleAssumptions(transaction, stated, known)
  const saved: SavedEntity[] = []
  const added = profiles.filter(profile => profile.registers && !known.has(entityKey(profile)))
  const tickers: TickerOfEntity[] = []
  for (const row of await insertEntities(transaction, added)) {
    const { entity_id: entityId, ticker } = row
    if (ticker === idWithoutTicker(identify(row))) tickers.push({ ticker, entityId })
    saved.push({
      ...identify(row),
      fiscalYearEnd: row.fiscal_year_end,
      isNew: true,
      changed: true,
      yearEndChanged: true,
    })
  }
  const completed = profiles.flatMap(profile => {
    const row = known.get(entityKey(profile))
    return row === undefined ? [] : [completeEntity(row, profile)]
  })
  await updateEntities(
    transaction,
    completed.filter(({ entity }) => entity.changed),
  )
  for (const { entity } of completed) saved.push(entity)
  const ids = new Map(saved.map(entity => [entityKey(entity), entity.entityId]))
  const ofProfiles = (tickersOf: (profile: EntityProfile) => readonly string[] | undefined) =>
    profiles.flatMap(profile => {
      const entityId = ids.get(entityKey(profile))
      return entityId === undefined ? [] : (tickersOf(profile) ?? []).map(ticker => ({ ticker, entityId }))
    })
  tickers.push(...ofProfiles(profile => profile.tickers))
  const { changed, gained } = await assignTickers(transaction, tickers, seenOn)
  const refuted = ofProfiles(profile => profile.tickersRefuted)
  for (const entityId of await removeRefutedTickers(transaction, refuted)) changed.add(entityId)
  const replaced = profiles.flatMap(profile => {
    const { tickers = [], tickersAssumed = false } = profile
    const row = known.get(entityKey(profile))
    const isReplaced =
      tickers.length > 0 && !tickersAssumed && row !== undefined && !tickers.includes(row.ticker)
    if (!isReplaced) return []
    const { ticker, entity_id: entityId } = row
    const isSymbol = ticker !== idWithoutTicker(identify(row))
    const by = gained.filter(one => isSymbol && one.entityId === entityId).map(one => one.ticker)
    return [{ ticker, entityId, by }]
  })
  for (const entityId of await endReplacedTickers(transaction, replaced, seenOn)) changed.add(entityId)
  return markChanged(saved, changed)
}

const markChanged = (saved: readonly SavedEntity[], ids: ReadonlySet<number>): SavedEntity[] =>
  saved.map(entity => (ids.has(entity.entityId) ? { ...entity, changed: true } : entity))

const identify = (row: EntityRecord) => ({
  entityId: row.entity_id,
  market: row.market,
  issuerId: row.issuer_id,
})

/** The ID of a filer to which no exchange gave a ticker. `assignTickers` builds the same ID in SQL. */
const idWithoutTicker = ({ market, issuerId }: { market: string; issuerId: string }) =>
  market === 'US' ? `CIK${issuerId}` : `${issuerId}.${market}`

/**
 * Matches an entity with a wanted one. Written so that the planner can only find it by its number: with
 * statistics from a smaller table, an index of whole markets looks as good, and each entity would be searched
 * for in its whole market.
 */
const isWanted = (sql: SqlClient) =>
  sql`entity.issuer_id = wanted.issuer_id and entity.market || '' = wanted.market`

async function readEntities(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
): Promise<Map<string, EntityRecord>> {
  const rows = await transaction<EntityRecord[]>`
    select entity.* from unnest(
      ${profiles.map(profile => profile.market)}::text[], ${profiles.map(profile => profile.issuerId)}::text[]
    ) as wanted (market, issuer_id) join entity on ${isWanted(transaction)}`
  return new Map(rows.map(row => [entityKey(identify(row)), row]))
}

/** Drops the assumed tickers of an entity that already has one of them. */
async function withoutIdleAssumptions(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
  known: ReadonlyMap<string, EntityRecord>,
): Promise<readonly EntityProfile[]> {
  const assumed = profiles.filter(profile => profile.tickersAssumed && known.has(entityKey(profile)))
  if (assumed.length === 0) return profiles
  const owners = await readTickerOwners(
    transaction,
    assumed.flatMap(profile => profile.tickers ?? []),
  )
  return profiles.map(profile => {
    const entityId = known.get(entityKey(profile))?.entity_id
    if (!profile.tickersAssumed || entityId === undefined) return profile
    const hasOne = profile.tickers?.some(ticker => owners.get(ticker) === entityId)
    if (!hasOne) return profile
    const { tickers: _, ...rest } = profile
    return rest
  })
}

async function insertEntities(
  transaction: TransactionSql,
  added: readonly EntityProfile[],
): Promise<readonly EntityRecord[]> {
  if (added.length === 0) return []
  return transaction<EntityRecord[]>`
    insert into entity (market, issuer_id, ticker, name, fiscal_year_end, sector, exchange, status)
    select * from unnest(
      ${added.map(profile => profile.market)}::text[],
      ${added.map(profile => profile.issuerId)}::text[],
      ${added.map(profile => profile.tickers?.[0] ?? idWithoutTicker(profile))}::text[],
      ${added.map(profile => profile.name ?? null)}::text[],
      ${added.map(profile => profile.fiscalYearEnd ?? null)}::text[],
      ${added.map(profile => profile.sector ?? null)}::text[],
      ${added.map(profile => profile.exchange ?? null)}::text[],
      ${added.map(profile => profile.status ?? null)}::text[]
    ) returning *`
}

interface CompletedEntity {
  readonly before: EntityRecord
  readonly after: EntityRecord
  readonly entity: SavedEntity
}

function completeEntity(before: EntityRecord, profile: EntityProfile): CompletedEntity {
  const after = improve(before, profile)
  const entity = {
    ...identify(before),
    fiscalYearEnd: after.fiscal_year_end,
    isNew: false,
    changed: changingColumns.some(column => after[column] !== before[column]),
    yearEndChanged: after.fiscal_year_end !== before.fiscal_year_end,
  }
  return { before, after, entity }
}

const changingColumns = ['name', 'ticker', 'fiscal_year_end', 'sector', 'exchange', 'status'] as const

function improve(row: EntityRecord, profile: EntityProfile): EntityRecord {
  const tickers = profile.tickers ?? []
  const isFallback = profile.nameIsFallback && row.name !== null
  return {
    ...row,
    name: isFallback ? row.name : (profile.name ?? row.name),
    ticker: tickers.length === 0 || tickers.includes(row.ticker) ? row.ticker : tickers[0],
    fiscal_year_end: profile.fiscalYearEnd ?? row.fiscal_year_end,
    sector: profile.sector ?? row.sector,
    exchange: profile.exchange ?? row.exchange,
    status: profile.status ?? row.status,
  }
}

/** One statement for all, because the triggers of `entity` cost more than the update of a row. */
async function updateEntities(
  transaction: TransactionSql,
  completed: readonly CompletedEntity[],
): Promise<void> {
  if (completed.length === 0) return
  const texts = (column: (typeof changingColumns)[number]) => completed.map(({ after }) => after[column])
  await transaction`
    update entity set name = better.name, ticker = better.ticker, fiscal_year_end = better.fiscal_year_end,
      sector = better.sector, exchange = better.exchange, status = better.status
    from unnest(
      ${completed.map(({ entity }) => entity.entityId)}::int[], ${texts('name')}::text[], ${texts('ticker')}::text[],
      ${texts('fiscal_year_end')}::text[], ${texts('sector')}::text[], ${texts('exchange')}::text[],
      ${texts('status')}::text[]
    ) as better (entity_id, name, ticker, fiscal_year_end, sector, exchange, status)
    where entity.entity_id = better.entity_id`
  const former = completed.flatMap(({ before, after }) => {
    const ticker = idWithoutTicker(identify(before))
    return before.ticker === ticker && after.ticker !== ticker ? [{ ticker, entityId: before.entity_id }] : []
  })
  if (former.length === 0) return
  await transaction`
    delete from entity_ticker own
    using unnest(${former.map(({ ticker }) => ticker)}::text[], ${former.map(({ entityId }) => entityId)}::int[])
      as gone (ticker, entity_id)
    where own.ticker = gone.ticker and own.entity_id = gone.entity_id`
  await rememberFormerIds(transaction, former)
}

/** The maximum number of other names by which an entity is found; further ones are not stored. */
const maxOtherNames = 16
/** Each run of characters becomes a term of the index. No company's name is longer. */
const maxNameLength = 300

/**
 * Stores the other names of saved entities without duplicates; entities that gained one count as changed. A
 * name that a source no longer states is kept, because people continue to use it.
 */
export async function saveOtherNames(
  transaction: TransactionSql,
  profiles: readonly EntityProfile[],
  saved: readonly SavedEntity[],
): Promise<readonly SavedEntity[]> {
  const ids = new Map(saved.map(entity => [entityKey(entity), entity.entityId]))
  const pairs = profiles.flatMap(profile => {
    const entityId = ids.get(entityKey(profile))
    if (entityId === undefined) return []
    return (profile.otherNames ?? [])
      .map(name => name.trim())
      .filter(name => name !== '' && name.length <= maxNameLength)
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
    where ordinal <= ${maxOtherNames}
    order by place
    returning entity_id`
  return markChanged(saved, new Set(gained.map(row => row.entity_id)))
}

/** The keys (`entityKey`) of the entities on record among `profiles`. */
export async function readKnownEntities(
  sql: Sql,
  profiles: readonly EntityProfile[],
): Promise<ReadonlySet<string>> {
  return sql.begin('read only', async transaction => {
    await planByIndex(transaction)
    const rows = await transaction<{ market: string; issuer_id: string }[]>`
      select wanted.market, wanted.issuer_id from unnest(
        ${profiles.map(profile => profile.market)}::text[], ${profiles.map(profile => profile.issuerId)}::text[]
      ) as wanted (market, issuer_id)
      cross join lateral (
        select from entity where ${isWanted(transaction)} limit 1) known`
    return new Set(rows.map(({ market, issuer_id: issuerId }) => entityKey({ market, issuerId })))
  })
}
