import type { JoinBodyInput } from '../../backtest/asOf/joinBody.ts'
import type { JoinClocks } from '../../backtest/asOf/joinTask.ts'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { ParsedRows } from '../../backtest/asOf/rows.ts'
import { companyColumns, type JoinPlan } from '../../backtest/asOf/settings.ts'
import type { WrittenJoin } from '../../backtest/asOf/writeJoin.ts'
import type { ComputePool, RunOptions } from '../../backtest/pool/computePool.ts'
import type { Priority } from '../../backtest/pool/tickets.ts'
import { dayNumber } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { marketZone } from '../../markets/asOf.ts'
import type { Markets } from '../../markets/markets.ts'
import { figuresOf, takesPrices } from '../../markets/strategies/pricedMetrics.ts'
import { scoreDefinitions, strategies } from '../../markets/strategies/strategies.ts'
import { findValuation, valuationNames } from '../../markets/valuations.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { isFreeData, isUnpaid } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import { nearNames } from '../../spelling.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { type AnswerMemory, maxAnswerBytes } from './answerMemory.ts'
import {
  accessKeyOf,
  authorizeJoin,
  findInSnapshot,
  findJoinCompanies,
  type JoinCompanies,
  type NameRules,
} from './companies.ts'
import { describeJoin } from './description.ts'
import type { EventLease, EventStore } from './eventStore.ts'
import { type OpenedFigures, openFigures } from './figures.ts'
import type { JoinSender } from './sender.ts'
import { withSpells } from './spellQueries.ts'
import { choosePrices, type DaysValued, type WantedPrices, withPrices } from './valuationPrices.ts'

export interface JoinDeps extends Omit<CompanyDeps, 'cursors' | 'terms'> {
  readonly pool: ComputePool
  readonly events: EventStore
  readonly answerMemory: AnswerMemory
  readonly dataVersion: () => number
  /** Gives access to earlier data versions. */
  readonly pins: {
    use<T>(version: number, work: (store: PinnedStore) => Promise<T>, signal?: AbortSignal): Promise<T>
  }
}

export interface JoinAnswer extends WrittenJoin {
  readonly dataVersion: number
  readonly metrics: readonly string[]
  /** Releases the response's memory. Must be called once the response is sent. */
  readonly release: () => void
}

type SentRows = Omit<JoinBodyInput, 'today' | 'maxRows'>

/**
 * Runs a join: the body's bytes move to a thread, which returns the response's bytes. This thread sees only
 * the rows' names and the metrics, to look up the companies and check whether the caller may see them.
 */
export async function runJoin(
  deps: JoinDeps,
  { rights, caller, budget }: JoinSender,
  sent: SentRows,
  format: JoinFormat,
  signal: AbortSignal,
  priority: Priority = 'interactive',
): Promise<JoinAnswer> {
  const { pool, markets, events, answerMemory } = deps
  const ticket = pool.admit(caller, priority)
  const lease = events.lease()
  try {
    const input = { ...sent, today: deps.today(), maxRows: budget?.maxRows }
    const { rows, plan, carriedBytes } = await pool.tasks.readJoinBody(input, {
      signal,
      ticket,
      transfer: [sent.body.buffer],
    })
    requireMetrics(markets.metrics, plan)
    await budget?.charge(rows.count)
    const addedBytes = companyColumns(plan).length * labelBytes * rows.count
    const room = answerMemory.reserve(rows.count, plan, isUnpaid(rights), carriedBytes + addedBytes)
    try {
      const figures = await atVersion(deps, plan.dataVersion, signal, at =>
        withPrices(at.sql, valuationsWanted(events, rights, rows, plan), () =>
          withSpells(
            at.sql,
            {
              scheme: plan.group,
              hasStates: plan.universe !== null,
              markets: rows.times == null ? null : markets,
            },
            () => openJoin(at, rights, lease, rows, plan, { signal, ticket }),
            ({ entities }) => entities,
          ),
        ),
      )
      const { dataVersion, companies, entities, blocks, times, groups, states, valued } = figures
      const written = await pool.tasks.writeJoin(
        {
          rows,
          plan,
          entities,
          blocks,
          prices: valued?.prices ?? null,
          groups,
          states,
          clocks: times === null ? null : { ...clocksOf(markets, companies), ...times },
          format,
          companyOfName: companies.companyOfName,
          slotOfRow: companies.slotOfRow,
          kin: companies.kin,
          unitNames: valued?.unitNames ?? events.units,
          limit: maxAnswerBytes,
          about: describeJoin(markets, companies, rows, plan, dataVersion, isFreeData(rights), valued?.set),
        },
        { signal, ticket },
      )
      return { ...written, dataVersion, metrics: plan.metrics, release: room.keep(written.bytes.length) }
    } catch (error) {
      room.release()
      throw error
    }
  } finally {
    lease.release()
    pool.leave(ticket)
  }
}

/**
 * Checks a join that runs later: its body, settings and data version, and whether the caller may see its
 * companies, which count as seen. The caller keeps the bytes.
 *
 * @returns the number of its rows
 */
export async function checkJoin(
  deps: JoinDeps,
  { rights, caller, budget }: JoinSender,
  sent: SentRows,
  signal: AbortSignal,
): Promise<number> {
  const { pool, markets } = deps
  const input = { ...sent, today: deps.today(), maxRows: budget?.maxRows }
  const { rows, plan } = await pool.tasks.readJoinBody(input, { signal, caller })
  requireMetrics(markets.metrics, plan)
  await budget?.charge(rows.count)
  await atVersion(deps, plan.dataVersion, signal, async at => {
    const rules = nameRules(at, rows, plan, { signal, caller })
    const { companies } = await findJoinCompanies(at, rows.names, rules, at.dataVersion())
    await authorizeJoin(at, rights, companies)
    const [valuation] = valuationsOf(plan)
    if (valuation !== undefined) await choosePrices(at.sql, rights, plan.prices, valuation)
  })
  return rows.count
}

/** Runs `work` on the store of a data version; null means the current one. */
export function atVersion<T>(
  deps: JoinDeps,
  version: number | null,
  signal: AbortSignal,
  work: (deps: JoinDeps) => Promise<T>,
): Promise<T> {
  if (version === null) return work(deps)
  return deps.pins.use(version, store => work({ ...deps, ...store }), signal)
}

/** Estimated bytes of a group or a state with its separators. */
const labelBytes = 13

async function openJoin(
  deps: JoinDeps,
  rights: Rights,
  lease: EventLease,
  rows: ParsedRows,
  plan: JoinPlan,
  run: RunOptions & { readonly signal: AbortSignal },
): Promise<OpenedFigures<JoinCompanies>> {
  const { names } = rows
  const rules = nameRules(deps, rows, plan, run)
  const source = {
    sql: deps.sql,
    entitiesOf: ({ identities }: JoinCompanies) => Int32Array.from(identities, ({ entityId }) => entityId),
    findAgain: (snapshot: SqlClient) => findInSnapshot(snapshot, names, rules),
    accessKey: accessKeyOf,
    authorize: (companies: JoinCompanies) => authorizeJoin(deps, rights, companies),
  }
  const first = await findJoinCompanies(deps, names, rules, deps.dataVersion())
  const choice = {
    metrics: plan.metrics.filter(name => !takesPrices(name)),
    figures: figuresOf(plan.metrics),
    fp: plan.fp,
    checks: plan.checks,
    hasTimes: (rows.times ?? null) !== null,
    showsRules: plan.extras.includes('known_by'),
  }
  return openFigures(lease, source, first, choice, run.signal)
}

const valuationsOf = ({ metrics }: JoinPlan): string[] => metrics.filter(takesPrices)

/** Null if the join has no valuations. */
function valuationsWanted(
  events: EventStore,
  rights: Rights,
  rows: ParsedRows,
  plan: JoinPlan,
): WantedPrices | null {
  const [valuation] = valuationsOf(plan)
  if (valuation === undefined) return null
  return { events, rights, sent: plan.prices, valuation, param: 'prices', days: daysOf(rows) }
}

/** The first and last day of the rows; of rows with times, every day that they may mean. */
function daysOf({ day, times = null }: ParsedRows): DaysValued {
  if (times !== null) return { first: dayNumber('1950-01-01'), last: dayNumber('9999-12-31') }
  let [first, last] = [day[0], day[0]]
  for (const one of day) {
    first = Math.min(first, one)
    last = Math.max(last, one)
  }
  return { first, last }
}

/** The clock of each market, and for each company the index of its market's clock. */
export function clocksOf(
  markets: Pick<Markets, 'get' | 'sessions'>,
  { identities }: Pick<JoinCompanies, 'identities'>,
): Pick<JoinClocks, 'clocks' | 'marketOf'> {
  const codes = [...new Set(identities.map(({ market }) => market))]
  return {
    clocks: codes.map(market => ({
      market,
      zone: marketZone(markets, market).name,
      sessions: markets.sessions.get(market)?.file ?? null,
    })),
    marketOf: Int32Array.from(identities, ({ market }) => codes.indexOf(market)),
  }
}

/** Assigns rows to slots on a worker thread, because it visits every row. */
export const nameRules = (
  { pool, today }: Pick<JoinDeps, 'pool' | 'today'>,
  { count, day, name }: ParsedRows,
  { followsLineage }: Pick<JoinPlan, 'followsLineage'>,
  run: RunOptions,
): NameRules => ({
  followsLineage,
  today: today(),
  findSlots: (dated, slots) => pool.tasks.findSlots({ rows: { count, day, name }, slots, dated }, run),
})

function requireMetrics(metricsOfMarkets: Markets['metrics'], { metrics, fp, extras }: JoinPlan): void {
  const known = scoreDefinitions(metricsOfMarkets)
  const strategy = metrics.find(name => strategies.has(name))
  if (strategy !== undefined && fp !== 'FY')
    throw new Failure(
      'parameter_invalid',
      `metrics contains the strategy ${strategy}, whose periods follow from its definition, so fp=${fp} cannot apply. Omit fp, or send the strategy in a request of its own.`,
      { param: 'fp' },
    )
  if (strategy !== undefined && extras.includes('known_by'))
    throw new Failure(
      'parameter_invalid',
      `metrics contains the strategy ${strategy}, whose inputs may come from several filings, so with=known_by has no single answer. Omit known_by, or send the strategy's inputs in place of the strategy.`,
      { param: 'with' },
    )
  const unknown = metrics.findIndex(name => !known.has(name) && findValuation(name) === undefined)
  if (unknown === -1) return
  const near = nearNames(metrics[unknown], [...known.keys(), ...valuationNames], 3)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  throw new Failure(
    'parameter_invalid',
    `metrics[${unknown}] is ${metrics[unknown]}, which is not a metric.${hint} GET /api/v1/fundamentals without ticker lists all metrics.`,
    { param: `metrics[${unknown}]`, near },
  )
}
