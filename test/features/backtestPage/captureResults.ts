import { resolve } from 'node:path'
import { defaultMaxAgeDays } from '../../../src/backtest/figureScore.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { storedChoices, storedName, storedRequest } from '../../../src/features/backtestPage/storedGrid.ts'
import {
  type ShippedArchive,
  storedPath,
  writeStored,
} from '../../../src/features/backtestPage/storedResults.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { stopTestDatabase } from '../../database.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

/** The results that /backtest shows without a key: `bun test/features/backtestPage/captureResults.ts` computes them from the shipped
 * archive and writes src/features/backtestPage/shippedResults.bin; storedResults.test.ts computes them again and compares. */
export async function captureResults({
  resources,
}: Pick<RealServer, 'resources'>): Promise<Map<string, string>> {
  const results = new Map<string, string>()
  for (const choice of storedChoices()) {
    const body = new TextEncoder().encode(JSON.stringify(storedRequest(choice)))
    const { bytes } = await runBacktest(resources.backtests, body, undefined, { caller: operator })
    results.set(storedName(choice), new TextDecoder().decode(bytes))
  }
  return results
}

/** Counts that describe the archive, read from the database. */
export async function readShipped({ sql }: Pick<RealServer, 'sql'>): Promise<ShippedArchive> {
  const [archive] = await sql<[ShippedArchive]>`
    with name as (
      select ticker, min(date) as first, max(date) as last from signal where actual is not null group by ticker
    ), counted as (
      select n.ticker, exists (
        select from entity_ticker t join entity e on e.entity_id = t.entity_id and e.market = 'US'
        join fact_as_of(n.last) f on f.entity_id = e.entity_id and f.fp = 0
        where t.ticker = n.ticker and f.period_end + ${defaultMaxAgeDays}::int >= n.first) as has
      from name n
    )
    select count(*)::int as names, (count(*) filter (where has))::int as "withFigures",
           (select min(date)::text from signal where actual is not null) as first,
           (select max(date)::text from signal where actual is not null) as last
    from counted`
  return { ...archive }
}

if (import.meta.main) {
  const server = await realServer()
  const bytes = writeStored(await captureResults(server), await readShipped(server))
  await Bun.write(storedPath, bytes)
  console.log(`Wrote ${resolve(storedPath)}: ${bytes.length} bytes.`)
  await server.stop()
  await stopTestDatabase()
  process.exit(0)
}
