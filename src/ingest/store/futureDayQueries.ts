import type { TransactionSql } from '../../postgres/client.ts'
import { copyDateText } from '../../postgres/copy.ts'
import type { FactsOfEntity } from './factQueries.ts'

/**
 * Records the companies with figures that become visible on the day of this import or later, for readers who
 * follow changes: no data version announces the arrival of a day.
 */
export async function recordFutureDays(
  transaction: TransactionSql,
  changed: readonly FactsOfEntity[],
): Promise<void> {
  const [{ today }] = await transaction<{ today: number }[]>`
    select import_day() - date '1970-01-01' as today`
  const days: number[] = []
  const entities: number[] = []
  for (const { entityId, facts } of changed) {
    const ofEntity = new Set<number>()
    for (const { filing, superseded } of facts) {
      if (filing.filed >= today && filing.filed < Number.POSITIVE_INFINITY) ofEntity.add(filing.filed)
      if (superseded !== null && superseded >= today) ofEntity.add(superseded)
    }
    for (const day of ofEntity) {
      days.push(day)
      entities.push(entityId)
    }
  }
  if (days.length === 0) return
  await transaction`
    insert into future_day (day, entity_id)
    select * from unnest(${days.map(copyDateText)}::date[], ${entities}::int[]) on conflict do nothing`
}
