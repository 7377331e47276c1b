import { isFreeData, isUnpaid, type Principal } from '../../access/licences.ts'
import type { JoinBodyInput } from '../../backtest/asOf/joinBody.ts'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import type { WrittenJoin } from '../../backtest/asOf/writeJoin.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { Priority } from '../../backtest/pool/tickets.ts'
import { Failure } from '../../errors.ts'
import type { SqlClient } from '../../postgres/client.ts'
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
  /** Earlier data versions. */
  readonly pins: {
    use<T>(version: number, work: (store: PinnedStore) => Promise<T>, signal?: AbortSignal): Promise<T>
  }
}

export interface JoinAnswer extends WrittenJoin {
  readonly dataVersion: number
  readonly metrics: readonly string[]
  /** Gives the memory of the answer back. Must be called once it is sent. */
  readonly release: () => void
}

type SentRows = Omit<JoinBodyInput, 'today' | 'maxRows'>

/** Runs a join: the bytes of the body go to a thread, and those of the answer come back. This thread sees the names of the rows and what is
 * computed, so that it finds the companies and whether the caller may see them. */
export async function runJoin(
  deps: JoinDeps,
  { principal, caller, budget }: JoinSender,
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
    const room = answerMemory.reserve(rows.count, plan, isUnpaid(principal), carriedBytes)
    try {
      const figures = await atVersion(deps, plan.dataVersion, signal, at =>
        openJoin(at, principal, lease, rows.names, plan, signal),
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
          about: describeJoin(markets, companies, rows, plan, dataVersion, isFreeData(principal)),
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

/** Checks a join that runs later: its body, its settings, its data version, and whether the caller may see its companies, which count as
 * seen. The caller's bytes stay.
 *
 * @returns how many rows it has */
export async function checkJoin(
  deps: JoinDeps,
  { principal, caller, budget }: JoinSender,
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
    await authorizeJoin(at, principal, companies)
  })
  return rows.count
}

/** Runs `work` on the store of a data version; null: on the present one. */
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
  principal: Principal,
  lease: EventLease,
  names: readonly string[],
  plan: JoinPlan,
  signal: AbortSignal,
): Promise<OpenedFigures<JoinCompanies>> {
  const source = {
    sql: deps.sql,
    entitiesOf: ({ identities }: JoinCompanies) => Int32Array.from(identities, ({ entityId }) => entityId),
    findAgain: (snapshot: SqlClient) => findInSnapshot(snapshot, names),
    authorize: (companies: JoinCompanies) => authorizeJoin(deps, principal, companies),
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
