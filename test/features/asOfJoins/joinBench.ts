import { readJoinBody } from '../../../src/backtest/asOf/joinBody.ts'
import type { JoinLineage, UnmatchedSymbol } from '../../../src/backtest/asOf/writeJoin.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import { AnswerMemory } from '../../../src/features/asOfJoins/answerMemory.ts'
import { EventStore } from '../../../src/features/asOfJoins/eventStore.ts'
import { type JoinDeps, runJoin } from '../../../src/features/asOfJoins/join.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { companyDeps, markets, rightsOf } from '../companies/fixtures.ts'

export interface JoinRequest {
  readonly rows: {
    readonly date?: readonly string[]
    readonly time?: readonly string[]
    readonly ticker: readonly string[]
  }
  readonly metrics: readonly string[]
  readonly fp?: string
  readonly inclusive?: boolean
  readonly max_age_days?: number
  readonly with?: readonly string[]
  readonly lineage?: 'none' | 'follow'
  readonly group?: string
  readonly data_version?: number
}

export interface JoinedAnswer {
  readonly count: number
  readonly data_version: number
  readonly known: string
  readonly unknown: readonly string[]
  readonly unknown_count: number
  readonly renamed?: readonly { sent: string; ticker: string }[]
  readonly unmatched?: readonly UnmatchedSymbol[]
  readonly symbol_assumed?: true
  readonly lineages?: readonly JoinLineage[]
  readonly units: Record<string, string[]>
  readonly columns: Record<string, (string | number | null)[]>
}

export interface JoinBench {
  readonly deps: JoinDeps
  readonly join: (request: JoinRequest) => Promise<JoinedAnswer>
  close(): Promise<void>
}

/** Joins by the verb that the route calls, on a real thread. */
export async function joinBench(sql: Sql, maxBytes = 2 ** 28, today = '2026-11-20'): Promise<JoinBench> {
  const pool = new ComputePool({ threads: 1, queue: 64, timeLimitMs: 20_000 })
  let version = await readDataVersion(sql)
  const deps: JoinDeps = {
    ...companyDeps(sql),
    today: () => today,
    pool,
    events: new EventStore(
      {
        events: vintages => pool.tasks.buildEvents(vintages, { caller: operator }),
        vintages: filings => pool.tasks.buildVintages(filings, { caller: operator }),
      },
      maxBytes,
      markets,
    ),
    answerMemory: new AnswerMemory(),
    dataVersion: () => version,
    pins: { use: () => Promise.reject(new Error('No version is pinned here.')) },
  }
  return {
    deps,
    join: async request => {
      version = await readDataVersion(sql)
      const sent = {
        body: new TextEncoder().encode(JSON.stringify(request)),
        format: 'json',
        query: {},
      } as const
      const sender = { rights: rightsOf('personal'), caller: operator, budget: null }
      const answer = await runJoin(deps, sender, sent, 'json', new AbortController().signal)
      answer.release()
      return JSON.parse(new TextDecoder().decode(new Uint8Array(answer.bytes)))
    },
    close: () => pool.close(),
  }
}

/** The result of reading a body, for tests of body formats alone. */
export const readBodyOf = (
  body: string | Uint8Array,
  format: 'json' | 'csv' | 'ndjson' | 'parquet',
  query = {},
) =>
  readJoinBody({
    body: typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body),
    format,
    query,
    today: '2026-11-20',
  })
