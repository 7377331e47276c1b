import type { Sql } from '../../src/postgres/client.ts'

export interface DrawnEntity {
  readonly entityId: number
  readonly ticker: string
  readonly market: string
  readonly name: string | null
}

const perRound = 20_000
const mostRounds = 100

/** Entities at random over all markets, none of them twice; all of them where there are no more. */
export async function drawEntities(sql: Sql, count: number, random: () => number): Promise<DrawnEntity[]> {
  const [{ least, most, all }] = await sql<{ least: number; most: number; all: number }[]>`
    select min(entity_id) as least, max(entity_id) as most, count(*)::int as all from entity`
  if (all === 0) throw new Error('The database is empty: fill it with `asfiled bench-data`.')
  const wanted = Math.min(count, all)
  const drawn = new Map<number, DrawnEntity>()
  for (let round = 0; round < mostRounds && drawn.size < wanted; round++) {
    const ids = Array.from({ length: perRound }, () => least + Math.floor(random() * (most - least + 1)))
    const rows = await sql<DrawnEntity[]>`
      select entity_id as "entityId", ticker, market, name from entity where entity_id = any(${ids})`
    for (const row of rows) drawn.set(row.entityId, row)
  }
  return shuffle([...drawn.values()], random).slice(0, count)
}

function shuffle<T>(all: T[], random: () => number): T[] {
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const kept = all[i]
    all[i] = all[j]
    all[j] = kept
  }
  return all
}
