import { sharedData } from '../src/backtest/pool/caller.ts'
import { ComputePool } from '../src/backtest/pool/computePool.ts'
import { isoDate } from '../src/dates.ts'
import { EventStore } from '../src/features/asOfJoins/eventStore.ts'
import { planCrossSection } from '../src/features/crossSection/crossSection.ts'
import { readScreenedTable } from '../src/features/crossSection/table.ts'
import { importPrices } from '../src/features/prices/import/importPrices.ts'
import { companyValuer, MarketValuationCache } from '../src/features/valuations/valueMarket.ts'
import { CursorSigner } from '../src/http/cursor.ts'
import { loadMarkets } from '../src/markets/markets.ts'
import type { Sql } from '../src/postgres/client.ts'
import { findPriceSet } from '../src/prices/priceQueries.ts'
import { Rights } from '../src/rights/rights.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

const firstDay = 17_167 // 2017-01-01
const lastDay = 18_261 // 2019-12-31
const sharesOf = (company: number) => 1_000_000 + company * 10
const closeOf = (company: number, day: number) => 5 + ((company * 7_919 + day) % 9_000) / 100
const rights = new Rights({ keyId: null, licence: 'oem', quant: false, entityCap: null, bulk: true })

/**
 * A screen of a whole market as of a day, without valuations and with a bound on the P/E and two of them as columns. Each
 * run reads another day, so that nothing comes from a cache of answers. First proves parity: each P/E must be the quotient
 * of the generated numbers.
 */
export function benchValuations({ short = false } = {}): Promise<Figure[]> {
  const companies = short ? 1_000 : 6_000
  const runs = short ? 3 : 15
  return scratchDatabase(async sql => {
    await generate(sql, companies)
    const markets = await loadMarkets()
    await importPrices(
      sql,
      { name: 'prices.csv', body: new TextEncoder().encode(linesOf(companies)) },
      {
        name: 'bench',
        currency: 'USD',
        basis: 'raw',
        known: 'date',
        adjustedOn: null,
        markets,
        now: () => new Date('2026-11-27T12:00:00Z'),
      },
    )
    await sql`vacuum analyze price_block`
    await sql`analyze price_asset`
    const set = await findPriceSet(sql, 'bench')
    const pool = new ComputePool({ threads: 1, queue: 10, timeLimitMs: 60_000 })
    const build = {
      events: (input: Parameters<typeof pool.tasks.buildEvents>[0]) =>
        pool.tasks.buildEvents(input, { caller: sharedData }),
      vintages: (input: Parameters<typeof pool.tasks.buildVintages>[0]) =>
        pool.tasks.buildVintages(input, { caller: sharedData }),
    }
    const events = new EventStore(build, 512 * 2 ** 20, markets)
    const cursors = new CursorSigner(new Uint8Array(32))
    const deps = {
      sql,
      markets,
      cursors,
      today: () => '2020-01-31',
      valueCompanies: companyValuer(
        { events, pool, marketValuations: new MarketValuationCache() },
        sharedData,
      ),
    }
    const screen = async (day: number, isValued: boolean) => {
      const query = {
        metric: isValued
          ? 'revenue,net_income,price_to_earnings,market_cap'
          : 'revenue,net_income,equity,assets',
        market: 'US',
        as_of: isoDate(day),
        sort: '-revenue',
        limit: 200,
      }
      const bounds = new Map(isValued ? [['max_price_to_earnings', 15]] : [['min_net_income', 1]])
      const viewer = { rights, allowance: null }
      const plan = planCrossSection(deps, viewer, query, bounds, isValued ? set : null)
      const began = performance.now()
      const { companies: found } = await readScreenedTable(deps, viewer, plan)
      return { ms: performance.now() - began, found }
    }
    try {
      const first = await screen(lastDay, true)
      prove(first.found, companies, lastDay)
      const [plain, valued, again]: number[][] = [[], [], []]
      for (let run = 0; run < runs; run++) {
        plain.push((await screen(lastDay - 1 - run, false)).ms)
        valued.push((await screen(lastDay - 1 - run, true)).ms)
        again.push((await screen(lastDay - 1 - run, true)).ms)
      }
      const size = `${companies / 1_000}k`
      return [
        figure(`valuations.screen_without_${size}`, plain),
        figure(`valuations.screen_${size}`, valued),
        figure(`valuations.screen_same_day_${size}`, again),
        figure(`valuations.screen_after_import_${size}`, [first.ms]),
      ]
    } finally {
      await pool.close()
    }
  })
}

function figure(name: string, times: number[]): Figure {
  times.sort((a, b) => a - b)
  return {
    name,
    value: times[times.length >> 1],
    unit: 'ms',
    spread: `${times[0].toFixed(0)} .. ${(times.at(-1) ?? 0).toFixed(0)}`,
  }
}

function prove(
  found: readonly { readonly figures: ReadonlyMap<string, { readonly value: number }> }[],
  companies: number,
  day: number,
): void {
  let expected = 0
  const values = new Set<number>()
  for (let company = 1; company <= companies; company++) {
    const ratio = (closeOf(company, day) * sharesOf(company)) / (company * 1_000 + 2_018)
    if (ratio > 15) continue
    expected++
    values.add(ratio)
  }
  if (found.length !== expected)
    throw new Error(`${found.length} companies are within the bound, not ${expected}`)
  for (const { figures } of found) {
    const ratio = figures.get('price_to_earnings')?.value
    if (ratio === undefined || !values.has(ratio))
      throw new Error(`a P/E of ${ratio} is not that of the generated numbers`)
  }
}

function linesOf(companies: number): string {
  const lines = ['date,symbol,close,split_factor']
  for (let day = firstDay; day <= lastDay; day++) {
    if ((day + 3) % 7 >= 5) continue
    const date = isoDate(day)
    for (let company = 1; company <= companies; company++)
      lines.push(`${date},${String(company).padStart(10, '0')},${closeOf(company, day)},1`)
  }
  return lines.join('\n')
}

/** Five figures of each company, for the years 2011 to 2018 and the first quarters, with covers that count the shares. */
async function generate(sql: Sql, companies: number): Promise<void> {
  await sql`insert into unit (name) values ('USD'), ('shares'), ('pure')`
  await sql`insert into tag (name) values ('dei:EntityCommonStockSharesOutstanding')`
  await sql`insert into metric (name) select name from unnest(array['assets','equity','net_income','revenue','shares_outstanding']) name`
  await sql`
    insert into entity (market, issuer_id, ticker, name)
    select 'US', lpad(i::text, 10, '0'), 'T' || i, 'Company ' || i from generate_series(1, ${companies}::int) i`
  await sql`
    insert into fact (entity_id, metric_id, fp, fy, unit_id, tag_id, period_start, period_end, filed, superseded, value, filing_id)
    select e, m.metric_id, 0, y, u.unit_id, case m.name when 'shares_outstanding' then 1 end,
           case when m.name in ('net_income', 'revenue') then make_date(y, 1, 1) end, make_date(y, 12, 31), make_date(y + 1, 2, 20), 'infinity',
           case m.name when 'shares_outstanding' then 1000000 + e * 10 else e * 1000.0 + y end, e * 100 + y - 2000
    from generate_series(1, ${companies}::int) e cross join metric m
    join unit u on u.name = case m.name when 'shares_outstanding' then 'shares' else 'USD' end
    cross join generate_series(2011, 2018) y
    order by e, y, m.metric_id`
  await sql`vacuum analyze fact`
  await sql`vacuum analyze entity`
  await sql`analyze metric, unit, data_version`
}

if (import.meta.main) {
  const figures = await benchValuations({ short: process.argv.includes('--short') })
  console.log(table(figures.map(one => ({ ...one, failed: false }))))
}
