import type { JoinBodyInput } from '../../backtest/asOf/joinBody.ts'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import type { WrittenJoin } from '../../backtest/asOf/writeJoin.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { Priority } from '../../backtest/pool/tickets.ts'
import { Failure } from '../../errors.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { isFreeData, isUnpaid } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import { nearNames } from '../../spelling.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { type AnswerMemory, maxAnswerBytes } from './answerMemory.ts'
import { authorizeJoin, findInSnapshot, findJoinCompanies, type JoinCompanies } from './companies.ts'
import { describeJoin } from './description.ts'
import type { EventLease, EventStore } from './eventStore.ts'
import { type OpenedFigures, openFigures } from './figures.ts'
import type { JoinSender } from './sender.ts'

export interface JoinDeps extends Omit<CompanyDeps, 'cursors'> {
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
    const { rows, plan, carriedBytes } = await pool.run('join_body', input, {
      signal,
      ticket,
      transfer: [sent.body.buffer],
    })
    requireMetrics(markets.metrics, plan)
    await budget?.charge(rows.count)
    const room = answerMemory.reserve(rows.count, plan, isUnpaid(rights), carriedBytes)
    try {
      const figures = await atVersion(deps, plan.dataVersion, signal, at =>
        openJoin(at, rights, lease, rows.names, plan, signal),
      )
      const { dataVersion, companies, entities, blocks } = figures
      const written = await pool.run(
        'join_rows',
        {
          rows,
          plan,
          entities,
          blocks,
          format,
          companyOfName: companies.companyOfName,
          unitNames: events.units,
          limit: maxAnswerBytes,
          about: describeJoin(markets, companies, rows, plan, dataVersion, isFreeData(rights)),
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
  const { rows, plan } = await pool.run('join_body', input, { signal, caller })
  requireMetrics(markets.metrics, plan)
  await budget?.charge(rows.count)
  await atVersion(deps, plan.dataVersion, signal, async at => {
    const { companies } = await findJoinCompanies(at, rows.names, at.dataVersion())
    await authorizeJoin(at, rights, companies)
  })
  return rows.count
}

/** Runs `work` on the store of a data version; null means the current one. */
function atVersion<T>(
  deps: JoinDeps,
  version: number | null,
  signal: AbortSignal,
  work: (deps: JoinDeps) => Promise<T>,
): Promise<T> {
  if (version === null) return work(deps)
  return deps.pins.use(version, store => work({ ...deps, ...store }), signal)
}

async function openJoin(
  deps: JoinDeps,
  rights: Rights,
  lease: EventLease,
  names: readonly string[],
  plan: JoinPlan,
  signal: AbortSignal,
): Promise<OpenedFigures<JoinCompanies>> {
  const source = {
    sql: deps.sql,
    entitiesOf: ({ identities }: JoinCompanies) => Int32Array.from(identities, ({ entityId }) => entityId),
    findAgain: (snapshot: SqlClient) => findInSnapshot(snapshot, names),
    authorize: (companies: JoinCompanies) => authorizeJoin(deps, rights, companies),
  }
  return openFigures(lease, source, await findJoinCompanies(deps, names, deps.dataVersion()), plan, signal)
}

function requireMetrics(known: ReadonlyMap<string, unknown>, { metrics }: JoinPlan): void {
  const unknown = metrics.findIndex(name => !known.has(name))
  if (unknown === -1) return
  const near = nearNames(metrics[unknown], known.keys(), 3)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  throw new Failure(
    'parameter_invalid',
    `metrics[${unknown}] is ${metrics[unknown]}, which is not a metric.${hint} GET /api/v1/fundamentals without ticker lists all metrics.`,
    { param: `metrics[${unknown}]`, near },
  )
}
