import { operator } from '../../../src/backtest/pool/caller.ts'
import { dayNumber } from '../../../src/dates.ts'
import { openAudit, runAudit } from '../../../src/features/audits/runAudit.ts'
import type { Audit } from '../../../src/features/audits/schema.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion } from '../../../src/postgres/dataVersion.ts'
import { ReadLimiter } from '../../../src/postgres/readLimiter.ts'
import { Terms } from '../../../src/wholeFilings/terms.ts'
import { testDatabase } from '../../database.ts'
import { type JoinBench, joinBench } from '../asOfJoins/joinBench.ts'
import { rightsOf } from '../companies/fixtures.ts'

/* Figures of the real files of EDGAR, read by plain loops over the stored rows and not by anything that the audit uses. */

export type Kind = 'FY' | 'Q' | 'TTM'
export const kinds: readonly Kind[] = ['FY', 'Q', 'TTM']

/** One value of one period, as one filing stated it. Days are counted since 1970-01-01. */
export interface Stated {
  readonly value: number
  readonly end: number
  readonly rank: number
  readonly filed: number
  /** The first day on which another filing has replaced it. */
  readonly until: number
  readonly filing: string
  /** The day on which this period was first filed. */
  readonly firstFiled: number
}

export interface RealCompany {
  readonly entity: number
  readonly ticker: string
  readonly issuerId: string
}

/** An earnings release: a Form 8-K with Item 2.02. */
export interface Release {
  readonly filed: number
  /** Milliseconds since 1970. */
  readonly accepted: number
}

export interface RealFigures {
  readonly companies: readonly RealCompany[]
  readonly sql: Sql
  readonly stated: (company: RealCompany, metric: string, kind: Kind) => readonly Stated[]
  /** Earliest first. */
  readonly releases: (company: RealCompany) => readonly Release[]
  readonly acceptedAt: (filing: string) => number | null
  readonly audit: (request: object) => Promise<Audit>
  close(): Promise<void>
}

interface StoredRow {
  readonly entity: number
  readonly metric: string
  readonly fp: number
  readonly isInstant: boolean
  readonly unit: string
  readonly end: string
  readonly filed: string
  readonly until: string
  readonly value: number
  readonly filing: string
}

/** Imports the files and reads the figures of some metrics. */
export async function openRealFigures(
  paths: readonly string[],
  metrics: readonly string[],
  relate: (sql: Sql) => Promise<unknown>,
): Promise<RealFigures> {
  const database = await testDatabase()
  const { sql } = database
  await importRegister(sql, usRegister, { paths, observedOn: '2026-11-20' }, () => {})
  await relate(sql)
  await sql.begin(transaction =>
    advanceDataVersion(transaction, { source: 'test', entities: 0, factsAdded: 0 }),
  )
  const bench = await joinBench(sql)
  const figures = await readFigures(sql, bench, metrics)
  return {
    ...figures,
    close: async () => {
      await bench.close()
      await database.close()
    },
  }
}

async function readFigures(
  sql: Sql,
  bench: JoinBench,
  metrics: readonly string[],
): Promise<Omit<RealFigures, 'close'>> {
  const names = metrics.flatMap(metric => [metric, `${metric}_ttm`])
  const rows = await sql<StoredRow[]>`
    select f.entity_id as entity, m.name as metric, f.fp, f.period_start is null as "isInstant", u.name as unit,
           f.period_end::text as "end", f.filed::text as filed, f.superseded::text as until, f.value, l.accession as filing
    from fact f join metric m using (metric_id) join unit u using (unit_id) join filing l using (filing_id)
    where m.name = any(${sql.array([...names])}) and f.period_end <= f.filed`
  const companies = await sql<RealCompany[]>`
    select entity_id as entity, ticker, issuer_id as "issuerId" from entity e
    where exists (select 1 from fact f where f.entity_id = e.entity_id) order by entity_id`
  const filings = await sql<{ filing: string; at: Date | null }[]>`
    select accession as filing, accepted_at as at from filing`
  const accepted = new Map(filings.map(({ filing, at }) => [filing, at?.getTime() ?? null]))
  const byName = Map.groupBy(rows, ({ entity, metric }) => `${entity} ${metric}`)
  const cached = new Map<string, readonly Stated[]>()
  const stated: RealFigures['stated'] = ({ entity }, metric, kind) => {
    const key = `${entity} ${metric} ${kind}`
    const known = cached.get(key)
    if (known !== undefined) return known
    const own = byName.get(`${entity} ${metric}`) ?? []
    const trailing = byName.get(`${entity} ${metric}_ttm`) ?? []
    const found = statedOf(own, trailing, kind)
    cached.set(key, found)
    return found
  }
  return {
    sql,
    companies: [...companies],
    stated,
    releases: await readReleases(sql),
    acceptedAt: filing => accepted.get(filing) ?? null,
    audit: request => audit(bench, request),
  }
}

/** Which rows are figures of a kind: fiscal years; quarters and balances; twelve months, of which a fiscal year is one. */
function statedOf(own: readonly StoredRow[], trailing: readonly StoredRow[], kind: Kind): Stated[] {
  const chosen =
    kind === 'FY'
      ? own.filter(({ fp }) => fp === 0)
      : kind === 'Q'
        ? own.filter(({ fp, isInstant }) => (fp > 0 && fp < 5) || isInstant)
        : [
            ...trailing.filter(({ fp }) => fp === 5),
            ...own.filter(({ fp, isInstant, unit }) => fp === 0 && !isInstant && !unit.endsWith('shares')),
          ]
  const periodOf = ({ end, fp }: StoredRow) => (kind === 'Q' ? `${end} ${fp}` : end)
  const firstFiled = new Map<string, string>()
  for (const row of chosen) {
    const first = firstFiled.get(periodOf(row))
    if (first === undefined || row.filed < first) firstFiled.set(periodOf(row), row.filed)
  }
  return chosen.map(row => ({
    value: row.value,
    end: dayNumber(row.end),
    rank: kind === 'Q' ? (row.fp === 0 ? 5 : row.fp) : 0,
    filed: dayNumber(row.filed),
    until: row.until === 'infinity' ? Number.POSITIVE_INFINITY : dayNumber(row.until),
    filing: row.filing,
    firstFiled: dayNumber(firstFiled.get(periodOf(row)) ?? row.filed),
  }))
}

/** The figure that was known when the filings up to a day were public. */
export function knownOn(stated: readonly Stated[], day: number): Stated | null {
  let best: Stated | null = null
  for (const one of stated) {
    if (one.filed > day || one.until <= day) continue
    const order =
      best === null
        ? 1
        : one.end - best.end || one.rank - best.rank || one.filed - best.filed || one.value - best.value
    if (order > 0) best = one
  }
  return best
}

/** By register number. */
async function readReleases(sql: Sql): Promise<RealFigures['releases']> {
  const rows = await sql<{ issuerId: string; filed: string; at: Date | null }[]>`
    select issuer_id as "issuerId", filed::text as filed, accepted_at as at from announcement
    where market = 'US' and accepted_at is not null order by filed, accepted_at`
  const releases = rows.map(({ issuerId, filed, at }) => ({
    issuerId,
    filed: dayNumber(filed),
    accepted: at?.getTime() ?? Number.NaN,
  }))
  const byIssuer = Map.groupBy(releases, ({ issuerId }) => issuerId)
  return ({ issuerId }) => byIssuer.get(issuerId) ?? []
}

async function audit(bench: JoinBench, request: object): Promise<Audit> {
  const deps = { ...bench.deps, terms: new Terms(), readLimiter: new ReadLimiter(2) }
  const sender = { rights: rightsOf('personal'), caller: operator, budget: null }
  const sent = { body: new TextEncoder().encode(JSON.stringify(request)), format: 'json', query: {} } as const
  const { signal } = new AbortController()
  const body = await openAudit(deps, sender, sent, signal)
  const { head, rows, release } = await runAudit(deps, sender, body, ['json'], signal)
  const text = new TextDecoder().decode(new Uint8Array(rows.json ?? new Uint8Array()))
  release()
  return { ...head, rows: JSON.parse(text) }
}
