import type { EntityProfile } from '../../model/statement.ts'
import type { TransactionSql } from '../database.ts'
import type { SavedEntity } from './saveEntities.ts'

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

const keyOf = (entity: { market: string; issuerId: string }) => `${entity.market} ${entity.issuerId}`
