import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { buildEvents } from '../../../src/backtest/asOf/figureEvents.ts'
import { findPositions, none } from '../../../src/backtest/asOf/positions.ts'
import { buildStrategyEvents } from '../../../src/backtest/asOf/strategyEvents.ts'
import { buildVintages } from '../../../src/backtest/audit/vintages.ts'
import { dayNumber } from '../../../src/dates.ts'
import { EventStore } from '../../../src/features/asOfJoins/eventStore.ts'
import { blockNames } from '../../../src/features/asOfJoins/figures.ts'
import type { BlockName } from '../../../src/features/asOfJoins/queries.ts'
import { strategies } from '../../../src/markets/strategies/strategies.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython } from '../../python.ts'
import { isLong } from '../../rounds.ts'
import { markets } from '../companies/fixtures.ts'
import { statedNames } from './statedNames.ts'

/* The inputs of a strategy under each option are chosen here by plain loops over the vintages that the register's filings made, and
 * the strategies are computed from them with pandas. */

setDefaultTimeout(300_000)

const python = findPython('pandas')
let database: TestDatabase
let server: TestServer
let key: string
beforeAll(async () => {
  database = await sampleDatabase()
  server = await testServer(database.sql)
  key = await sellKey(database.sql, { licence: 'personal', quant: true })
  await database.sql`update key_grant set per_minute = 100000, per_day = null`
}, 180_000)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 60_000)

interface Vintage {
  readonly m: string
  readonly fp: string
  readonly end: string
  readonly filed: string
  readonly until: string | null
  readonly v: number
  readonly u: string
  readonly check: string
}

interface Company {
  readonly id: number
  readonly ticker: string
  readonly market: string
}

const inputs = [...new Set([...strategies.values()].flatMap(strategy => strategy.inputs))]

async function vintagesOf(ticker: string): Promise<Vintage[]> {
  const path = `/api/v1/fundamentals?ticker=${encodeURIComponent(ticker)}&view=history&fields=check`
  const answer = await (
    await fetch(server.url + path, { headers: { Authorization: `Bearer ${key}` } })
  ).json()
  if (answer.error !== undefined) throw new Error(answer.error.message)
  return answer.data.filter(({ m, end, filed }: Vintage) => inputs.includes(m) && end <= filed)
}

const options = ['as_known', 'first_filed', 'final', 'checked'] as const
type Option = (typeof options)[number]
const states = ['unchecked', 'consistent'] as const

/** The figures that count on a day under an option, by metric and last day. A figure in another state than asked for is null. */
function chosen(
  vintages: readonly Vintage[],
  day: string,
  option: Option,
): Record<string, Record<string, Vintage | null>> {
  const found: Record<string, Record<string, Vintage | null>> = {}
  const periods = new Map<string, Vintage[]>()
  for (const vintage of vintages) {
    const period = `${vintage.m} ${vintage.end}`
    periods.set(period, [...(periods.get(period) ?? []), vintage])
  }
  for (const ofPeriod of periods.values()) {
    const [{ m, end }] = nonEmpty(ofPeriod)
    found[m] ??= {}
    let best: Vintage | undefined
    if (option === 'first_filed') {
      const counted = ofPeriod.filter(({ filed, until }) => until === null || until > filed)
      best = counted.toSorted((a, b) => (a.filed < b.filed ? -1 : a.filed > b.filed ? 1 : b.v - a.v))[0]
      if (best !== undefined && best.filed > day) best = undefined
    } else if (option === 'final') {
      best = end <= day ? ofPeriod.find(({ until }) => until === null) : undefined
    } else best = ofPeriod.find(({ filed, until }) => filed <= day && (until === null || until > day))
    if (best === undefined) continue
    const counts = option !== 'checked' || states.some(state => state === best.check)
    found[m][end] = counts ? best : null
  }
  return found
}

interface Asked {
  readonly figures: Record<string, Record<string, number | null>>
  readonly quarters: Record<string, number | null>
}

const valuesIn = (figures: Record<string, Record<string, Vintage | null>>) =>
  Object.fromEntries(
    Object.entries(figures).map(([m, of]) => [
      m,
      Object.fromEntries(Object.entries(of).map(([end, one]) => [end, one?.v ?? null])),
    ]),
  )

function asked(vintages: readonly Vintage[], day: string, option: Option): Asked {
  const annual = vintages.filter(({ fp }) => fp === 'FY')
  const quarters = vintages.filter(({ fp, m }) => /^Q[1-4]$/.test(fp) && m === 'net_income')
  return {
    figures: valuesIn(chosen(annual, day, option)),
    quarters: valuesIn(chosen(quarters, day, option)).net_income ?? {},
  }
}

function withPandas(all: readonly Asked[]): Record<string, number | null>[] {
  const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const run = Bun.spawnSync(
    [python ?? '', folder('reference.py'), folder('../../../sample/fundamentals.csv.gz'), '{}'],
    { stdin: Buffer.from(JSON.stringify(all)) },
  )
  if (run.exitCode !== 0) throw new Error(run.stderr.toString())
  return run.stdout
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).scores)
}

/** The scores that joins and backtests see, inclusive of the day. */
async function ownScores(
  pairs: readonly { readonly company: Company; readonly day: string }[],
  option: Pick<BlockName, 'kind' | 'checks'>,
): Promise<Map<string, (number | null)[]>> {
  const store = new EventStore(
    {
      events: async vintages =>
        vintages.strategy === undefined
          ? buildEvents(vintages)
          : buildStrategyEvents({ ...vintages, strategy: vintages.strategy }),
      vintages: async filings => buildVintages(filings),
    },
    2 ** 30,
    markets,
  )
  const lease = store.lease()
  const version = await readDataVersion(database.sql)
  const ids = Int32Array.from(pairs, ({ company }) => company.id)
  const scores = new Map<string, (number | null)[]>()
  for (const name of statedNames) {
    const [block] = await lease.open(database.sql, version, blockNames(ids, [name], { fp: 'FY', ...option }))
    scores.set(
      name,
      pairs.map(({ company, day }) => {
        const rows = { count: 1, day: Int32Array.of(dayNumber(day)), name: Int32Array.of(0) }
        const slot = Int32Array.of(company.id - (block?.firstEntity ?? 0))
        const rule = { inclusive: true, maxAgeDays: null }
        if (block === undefined) return null
        const [at = none] = findPositions(rows, slot, block, rule)
        return at === none ? null : (block.values[at] ?? null)
      }),
    )
  }
  lease.release()
  return scores
}

/** Every company of the small markets, the long records of the US, and a sixteenth of the others. */
async function companies(): Promise<Company[]> {
  const all = await database.sql<
    Company[]
  >`select entity_id as id, ticker, market from entity order by entity_id`
  const long = ['AAPL', 'GOOGL', 'SNOW', 'LPA']
  return all.filter(({ id, ticker, market }) => market !== 'US' || long.includes(ticker) || id % 16 === 0)
}

/** CI asks as of every second day. */
const days = ['2010-01-20', '2010-03-31', '2013-06-30', '2016-12-31', '2023-08-15', '2026-06-30'].filter(
  (_, at) => isLong || at % 2 === 1,
)

test.skipIf(python === null)(
  'under every option and in every market, scores are those of pandas from the vintages that the option chooses',
  async () => {
    const chosenCompanies = await companies()
    const vintages = new Map<number, Vintage[]>()
    for (const { id, ticker } of chosenCompanies) vintages.set(id, await vintagesOf(ticker))
    const pairs = chosenCompanies.flatMap(company => days.map(day => ({ company, day })))
    const compared: Record<string, Record<string, number>> = {}
    const wrong: string[] = []
    // In one process: each reads the shipped figures first.
    const ofOptions = withPandas(
      options.flatMap(option =>
        pairs.map(({ company, day }) => asked(vintages.get(company.id) ?? [], day, option)),
      ),
    )
    expect(ofOptions).toHaveLength(options.length * pairs.length)
    for (const [place, option] of options.entries()) {
      const expected = ofOptions.slice(place * pairs.length, (place + 1) * pairs.length)
      const own = await ownScores(
        pairs,
        option === 'checked' ? { checks: [...states] } : option === 'as_known' ? {} : { kind: option },
      )
      for (const name of statedNames)
        for (const [i, { company, day }] of pairs.entries()) {
          const ours = own.get(name)?.[i] ?? null
          const theirs = expected[i]?.[name] ?? null
          const isEqual =
            ours === null || theirs === null
              ? ours === theirs
              : Math.abs(ours - theirs) <= 1e-12 * Math.max(1, Math.abs(theirs))
          if (!isEqual)
            wrong.push(`${option} ${name} ${company.ticker} ${day}: ${ours}, with pandas ${theirs}`)
          if (theirs !== null) {
            compared[option] ??= {}
            compared[option][company.market] = (compared[option][company.market] ?? 0) + 1
          }
        }
    }
    expect(wrong).toEqual([])
    for (const option of nonEmpty(Object.values(compared)))
      expect(option.US).toBeGreaterThan(isLong ? 100 : 40)
    for (const market of ['FR', 'JP', 'KR', 'NZ']) expect(compared.as_known?.[market]).toBeGreaterThan(0)
  },
)
