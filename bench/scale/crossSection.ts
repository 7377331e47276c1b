import { addDays } from '../../src/dates.ts'
import { planCrossSection, readCrossSection } from '../../src/features/crossSection/crossSection.ts'
import { crossSectionLimit } from '../../src/features/crossSection/schema.ts'
import { CursorSigner } from '../../src/http/cursor.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { Rights } from '../../src/rights/rights.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { fetchOk } from './fetchOk.ts'
import { dropCaches } from './memory.ts'

const companies = 100_000
const runs = 5
const metric = 'net_income'
/** The limit for reading all 100,000 companies. */
const maxMs = 1_000
const rights = new Rights({ keyId: null, licence: 'oem', quant: false, entityCap: null, bulk: true })

/** Reads one metric of 100,000 companies of the largest market as of a day, both page by page from the route and with one
 * call of the query function. Each run asks for a different day, so that no response comes from a cache. */
export async function crossSection(context: Context): Promise<ScaleFigure[]> {
  const { today, log } = context
  const market = await context.withSql(async sql => {
    const found = await sql<{ market: string; entities: number }[]>`
      select market, count(*)::int as entities from entity group by market order by 2 desc limit 2`
    log(
      `crossSection: the largest markets are ${found.map(one => `${one.market} (${one.entities.toLocaleString('en')})`).join(', ')}`,
    )
    return found[0].market
  })
  await context.stopServer()
  if (context.dropsCaches) dropCaches()
  await context.server()
  const days = Array.from({ length: runs }, (_, run) => addDays(today, -run))
  const pages: number[] = []
  const wholes: number[] = []
  let rows = 0
  for (const day of days) {
    const found = await fetchPages(context, market, day)
    wholes.push(found.ms)
    pages.push(...found.pagesMs)
    rows = found.rows
  }
  const verb = await context.withSql(async sql => {
    const markets = await loadMarkets()
    const cursors = new CursorSigner(new Uint8Array(32))
    const deps = { sql, markets, today: () => today, cursors }
    const times: number[] = []
    for (const day of days) {
      const query = { metric, market, as_of: day, limit: crossSectionLimit.max }
      const plan = { ...planCrossSection(deps, { rights, allowance: null }, query), limit: companies }
      const began = performance.now()
      const { count } = await readCrossSection(deps, rights, plan)
      times.push(performance.now() - began)
      if (day === days[runs - 1] && count !== rows)
        throw new Error(`the query gives ${count} companies, the pages ${rows}`)
    }
    return times
  })
  const isComplete = rows >= companies
  if (!isComplete)
    log(
      `crossSection: ${market} has ${rows.toLocaleString('en')} companies with ${metric}, too few for the bound of ${companies.toLocaleString('en')}`,
    )
  const [first, ...later] = wholes
  const [firstVerb, ...laterVerb] = verb
  const bound = isComplete ? { max: maxMs } : {}
  return [
    { ...figure('pages_first', [first]), ...bound },
    { ...figure('pages_whole', later), ...bound },
    figure('page', pages),
    { ...figure('verb_first', [firstVerb]), ...bound },
    { ...figure('verb_whole', laterVerb), ...bound },
    { name: 'crossSection.rows', value: rows, unit: 'rows' },
  ]
}

async function fetchPages(context: Context, market: string, day: string) {
  const began = performance.now()
  const pagesMs: number[] = []
  const texts: string[] = []
  let cursor: string | null = null
  for (let page = 0; page * crossSectionLimit.max < companies; page++) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const path = `/api/v1/cross-section?metric=${metric}&market=${market}&as_of=${day}&limit=${crossSectionLimit.max}${after}`
    const started = performance.now()
    const { text } = await fetchOk(context, path)
    pagesMs.push(performance.now() - started)
    texts.push(text)
    // Reads the cursor only: a client would parse the page while it waits for the next one.
    cursor = /"next":(?:null|"([^"]*)")/.exec(text)?.[1] ?? null
    if (cursor === null) break
  }
  const ms = performance.now() - began
  const rows = texts.reduce((sum, text) => sum + Number(/"count":(\d+)/.exec(text)?.[1]), 0)
  return { ms, pagesMs, rows }
}

/** The median of the runs. */
function figure(name: string, times: readonly number[]): ScaleFigure {
  const sorted = times.toSorted((a, b) => a - b)
  const spread = `${sorted[0].toFixed(0)} .. ${sorted[sorted.length - 1].toFixed(0)}`
  return { name: `crossSection.${name}`, value: sorted[sorted.length >> 1], unit: 'ms', spread }
}
