import { afterAll, beforeAll, expect, test } from 'bun:test'
import { isoDate } from '../../../src/dates.ts'
import { deriveFacts } from '../../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../../src/facts/factRow.ts'
import type { Filing } from '../../../src/facts/reportedFact.ts'
import { registerOf } from '../../../src/ingest/allRegisters.ts'
import { endOfDayIn } from '../../../src/ingest/registers/zones.ts'
import { readSample } from '../../../src/ingest/sample/loadSample.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { rounds } from '../../rounds.ts'

/* The shipped filings are real. The figures of a company as of an instant are compared with those that follow from
 * only the filings that were public by then. */

let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
}, 120_000)
afterAll(() => database.close(), 60_000)

const cells = rounds(32_000, 100_000)
const cellsPerStatement = 4_000

/** Pseudorandom numbers, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface StoredFiling {
  readonly accession: string
  readonly filed: number
  readonly acceptedAt: number | null
}

interface Company {
  readonly entityId: number
  readonly endOfDay: (day: number) => number
  readonly filings: readonly { readonly filing: StoredFiling; readonly publicFrom: number }[]
  /** By the filings that are public. */
  readonly states: Map<string, ReadonlyMap<string, string>>
  readonly derive: (known: ReadonlySet<string>) => readonly FactRow[]
}

async function companies(): Promise<readonly Company[]> {
  const stored = await database.sql<
    (StoredFiling & { form: string; market: string; issuer: string; entityId: number })[]
  >`
    select l.accession, l.form, l.filed - date '1970-01-01' as filed, (extract(epoch from l.accepted_at) * 1000)::float8 as "acceptedAt",
           e.market, e.issuer_id as issuer, e.entity_id as "entityId"
    from filing l join entity e using (entity_id)`
  const byAccession = new Map(stored.map(filing => [filing.accession, filing]))
  return (await readSample()).flatMap(({ profile, reportedFacts }): Company[] => {
    const facts = reportedFacts.flatMap(fact => {
      const known = byAccession.get(fact.filing.accession)
      if (known === undefined) return []
      const { readings: _, ...stated } = fact.filing
      const filing: Filing = { ...stated, filed: known.filed, acceptedAt: known.acceptedAt }
      return [{ ...fact, filing }]
    })
    const accessions = new Set(facts.map(({ filing }) => filing.accession))
    const own = stored.filter(({ accession }) => accessions.has(accession))
    if (!own.some(({ acceptedAt }) => acceptedAt !== null)) return []
    const { rules } = registerOf(profile.market)
    const endOfDay = endOfDayIn(profile.market)
    return [
      {
        entityId: own[0].entityId,
        endOfDay,
        states: new Map(),
        filings: own.map(filing => ({ filing, publicFrom: filing.acceptedAt ?? endOfDay(filing.filed) })),
        derive: known =>
          deriveFacts(
            facts.filter(({ filing }) => known.has(filing.accession)),
            { rules, fiscalYearEnd: profile.fiscalYearEnd ?? null },
          ).facts,
      },
    ]
  })
}

const bits = new DataView(new ArrayBuffer(8))
function hex(value: number): string {
  bits.setFloat64(0, value)
  return bits.getBigUint64(0).toString(16).padStart(16, '0')
}

const spell = (row: FactRow): string =>
  [
    ...[row.fp, row.fy, isoDate(row.end), isoDate(row.filing.filed), hex(row.value), row.filing.accession],
    row.superseded === null,
  ].join(' ')

/** What follows from the filings that are public at an instant, by metric. */
function truthAt(company: Company, at: number): ReadonlyMap<string, string> {
  const known = company.filings
    .filter(({ publicFrom }) => publicFrom <= at)
    .map(({ filing }) => filing.accession)
  const key = known.join(' ')
  const before = company.states.get(key)
  if (before !== undefined) return before
  const rows = Map.groupBy(company.derive(new Set(known)), ({ metric }) => metric)
  const state = new Map([...rows].map(([metric, of]) => [metric, of.map(spell).sort().join('\n')]))
  company.states.set(key, state)
  return state
}

test(`at ${cells.toLocaleString('en')} random instants the store shows what the public filings of a company state, and nothing else`, async () => {
  const known = nonEmpty(await companies())
  const metrics = await database.sql<{ id: number; name: string }[]>`select metric_id as id, name from metric`
  const next = numbers(7)
  let [rows, between] = [0, 0]
  for (let done = 0; done < cells; done += cellsPerStatement) {
    const asked = Array.from({ length: cellsPerStatement }, () => {
      const company = known[next(known.length)]
      const { publicFrom, filing } = company.filings[next(company.filings.length)]
      // Around a filing's time, its day, or days before and after it.
      const at = [
        publicFrom + next(3) - 1,
        company.endOfDay(filing.filed) - next(2),
        publicFrom + (next(20_000) - 10_000) * 60_000,
      ][next(3)]
      return { company, at, metric: metrics[next(metrics.length)] }
    })
    const shown = await database.sql<{ rows: string; between: boolean }[]>`
      select coalesce((
          select string_agg(concat_ws(' ', f.fp, f.fy, f.period_end, f.filed, encode(float8send(f.value + 0), 'hex'), f.accession, f.current), E'\n'
            order by concat_ws(' ', f.fp, f.fy, f.period_end, f.filed, encode(float8send(f.value + 0), 'hex'), f.accession, f.current) collate "C")
          from (select * from fact_at(c.at, c.ended) union all select * from trailing_at(c.at, c.ended)) f
          where f.entity_id = c.entity and f.metric_id = c.metric), '') as rows,
        exists (select from known_moment m
                where m.entity_id = c.entity and m.known_at <= c.at and m.until_at > c.at and m.interim is not null) as between
      from unnest(
        ${asked.map(({ company }) => company.entityId)}::int[],
        ${asked.map(({ metric }) => metric.id)}::int[],
        ${asked.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
        ${asked.map(({ company, at }) => lastEnded(company, at))}::date[]
      ) with ordinality as c (entity, metric, at, ended, place)
      order by c.place`
    for (const [index, { company, at, metric }] of asked.entries()) {
      const truth = truthAt(company, at).get(metric.name) ?? ''
      if (shown[index].rows.replaceAll(/ t$/gm, ' true').replaceAll(/ f$/gm, ' false') !== truth)
        expect([
          company.entityId,
          new Date(at).toISOString(),
          metric.name,
          spelled(shown[index].rows),
        ]).toEqual([company.entityId, new Date(at).toISOString(), metric.name, spelled(truth)])
      if (truth !== '') rows++
      if (shown[index].between) between++
    }
  }
  expect(rows).toBeGreaterThan(rounds(10_000, 20_000))
  expect(between).toBeGreaterThan(0)
}, 600_000)

const spelled = (text: string): string[] =>
  text.replaceAll(/ t$/gm, ' true').replaceAll(/ f$/gm, ' false').split('\n')

function lastEnded({ endOfDay }: Company, at: number): string {
  let day = Math.floor(at / 86_400_000) - 3
  while (endOfDay(day + 1) <= at) day++
  return isoDate(day)
}
