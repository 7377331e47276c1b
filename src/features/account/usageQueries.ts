import type { Sql } from '../../postgres/client.ts'
import type { KeyUse } from './usage.ts'

/** Adds to today's counts (UTC). Rows are sorted so that two servers cannot deadlock. */
export async function addUse(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  const routes = uses.flatMap(({ rootKeyId, routes: counts }) =>
    [...counts].map(([route, requests]) => ({ rootKeyId, route, requests })),
  )
  await sql.begin(async transaction => {
    await transaction`
      insert into account.key_use as u (key_id, used_at)
      select key_id, now() from unnest(${uses.map(use => use.keyId)}::int[]) as used (key_id) order by key_id
      on conflict (key_id) do update set used_at = greatest(u.used_at, excluded.used_at)`
    await transaction`
      insert into account.route_use as u (root_key_id, day, route, requests)
      select root_key_id, (now() at time zone 'UTC')::date, route, sum(requests)
      from unnest(
        ${routes.map(use => use.rootKeyId)}::int[], ${routes.map(use => use.route)}::text[],
        ${routes.map(use => use.requests)}::int[]
      ) as used (root_key_id, route, requests)
      group by root_key_id, route order by root_key_id, route
      on conflict (root_key_id, day, route) do update set requests = u.requests + excluded.requests`
  })
}

export interface RouteUse {
  readonly day: string
  readonly route: string
  readonly requests: number
}

/** The requests of some keys on the last days, by route. */
export async function readUse(sql: Sql, rootKeyIds: readonly number[], days: number): Promise<RouteUse[]> {
  const rows = await sql<RouteUse[]>`
    select day::text as day, route, sum(requests)::int as requests
    from account.route_use
    where root_key_id = any(${[...rootKeyIds]}::int[]) and day > (now() at time zone 'UTC')::date - ${days}::int
    group by day, route order by day, route`
  return [...rows]
}

/** Today in UTC by the database's clock, which also dates the counts. */
export async function readToday(sql: Sql): Promise<string> {
  const [row] = await sql<{ today: string }[]>`select (now() at time zone 'UTC')::date::text as today`
  return row.today
}

/** Deletes counts older than 400 days. */
export async function deleteOldUse(sql: Sql): Promise<void> {
  await sql`delete from account.route_use where day < (now() at time zone 'UTC')::date - 400`
}
