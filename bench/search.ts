import { searchEntities } from '../src/features/search/search.ts'
import { connect, type Sql } from '../src/postgres/client.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { searchQueries } from './search/queries.ts'
import { type Lists, realNames } from './search/realNames.ts'
import { table } from './table.ts'

/** Names of each market in the full service. The benchmark scales these numbers. */
const entities = { FR: 1_490_000, BE: 674_000, DK: 549_000, NZ: 45_000, US: 9_700, JP: 5_000, TW: 1_900 }
const full = Object.values(entities).reduce((sum, count) => sum + count, 0)
const legalForms: Readonly<Record<string, readonly string[]>> = {
  FR: ['SARL', 'SAS', 'SCI', 'EURL', 'SA', ''],
  BE: ['BV', 'NV', 'SRL', 'SA', 'VZW', ''],
  DK: ['ApS', 'A/S', 'Holding ApS', 'I/S', ''],
}

/** Fills a scratch database with names generated from real ones and searches it. Returns no figures if the real lists are
 * not on this machine. */
export async function benchSearch({
  short = false,
  names = short ? 30_000 : 100_000,
}: {
  short?: boolean
  names?: number
} = {}): Promise<Figure[]> {
  const lists = await realNames()
  if (lists === null) {
    console.error('skipped: the real name lists are not on this machine')
    return []
  }
  return scratchDatabase(async (sql, url) => {
    const started = performance.now()
    await fill(sql, lists, names / full)
    const figures: Figure[] = [
      { name: 'search.load', value: (performance.now() - started) / 1_000, unit: 's' },
    ]
    const [{ mb }] = await sql<{ mb: number }[]>`
      select pg_relation_size('entity_names') / 1048576.0::float8 as mb`
    figures.push({ name: 'search.index', value: mb, unit: 'MB' })
    const kinds = searchQueries(lists, await sample(sql), 200, generator(11))
    const lookups = connect({ url, connections: 1, statementTimeoutMs: 0, indexLookupsOnly: true })
    for (const [kind, queries] of Object.entries(kinds)) {
      figures.push(...(await time(lookups, kind, queries)))
    }
    await lookups.end({ timeout: 5 })
    return figures
  })
}

async function fill(sql: Sql, lists: Lists, scale: number): Promise<void> {
  await sql.unsafe('drop index entity_names')
  const random = generator(7)
  for (const [market, count] of Object.entries(entities)) {
    const total = Math.max(1, Math.round(count * scale))
    for (let start = 0; start < total; start += 20_000) {
      const rows = Array.from({ length: Math.min(20_000, total - start) }, (_, i) =>
        entity(market, start + i, lists, random),
      )
      await sql`
        insert into entity (market, issuer_id, ticker, name)
        select ${market}, * from unnest(${rows.map(row => row[0])}::text[], ${rows.map(row => row[1])}::text[],
                                        ${rows.map(row => row[2])}::text[])`
    }
  }
  await sql`insert into entity_ticker select ticker, entity_id from entity`
  await sql.unsafe(`set maintenance_work_mem = '512MB'`)
  await sql.unsafe('create index entity_names on entity using gin (name_terms(market, name, search_name))')
  await sql.unsafe('vacuum analyze entity')
  await sql.unsafe('vacuum analyze entity_ticker')
}

function entity(
  market: string,
  n: number,
  lists: Lists,
  random: () => number,
): [string, string, string | null] {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]
  const makeName = () =>
    [
      ...Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(lists.words)),
      pick(legalForms[market]),
    ]
      .join(' ')
      .trim()
  const number = String(n * 7 + 100_000_000)
  switch (market) {
    case 'FR':
      return [number, `${number}.FR`, makeName()]
    case 'BE':
      return [`0${number}`, `0${number}.BE`, makeName()]
    case 'DK':
      return [number.slice(1), `${number.slice(1)}.DK`, random() < 0.02 ? null : makeName()]
    case 'NZ':
      return [`CC${10_000 + n}`, `CC${10_000 + n}.NZ`, lists.nz[n % lists.nz.length]]
    case 'US':
      return [number, `U${n.toString(36).toUpperCase()}`, lists.us[n % lists.us.length]]
    default:
      return [`E${10_000 + n}.${market}`, `E${10_000 + n}.${market}`, `${pick(lists.tw)}${pick(lists.tw)}`]
  }
}

/** Companies from all parts of the database. */
const sample = (sql: Sql) => sql<{ name: string; ticker: string }[]>`
  select name, ticker from entity where name is not null and entity_id % 997 = 3 limit 200`

async function time(sql: Sql, kind: string, queries: readonly string[]): Promise<Figure[]> {
  const times: number[] = []
  for (const q of queries) {
    const started = performance.now()
    await searchEntities(sql, q)
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))]
  const spread = `${queries.length} queries, worst ${at(1).toFixed(1)}`
  return [
    { name: `search.${kind}_p50`, value: at(0.5), unit: 'ms' },
    { name: `search.${kind}_p99`, value: at(0.99), unit: 'ms', spread },
  ]
}

/** Mulberry32 with a fixed seed, so that every run has the same names. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

if (import.meta.main) {
  const names = process.argv.includes('--full') ? full : 100_000
  console.log(`${names.toLocaleString('en')} names`)
  console.log(table((await benchSearch({ names })).map(figure => ({ ...figure, failed: false }))))
}
