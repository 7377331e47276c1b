import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listChanges } from '../../../src/features/changes/changes.ts'
import { kinOf, lineageOf } from '../../../src/features/companies/lineage.ts'
import { readSuccessions } from '../../../src/features/companies/lineageQueries.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { answerCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { importSuccessors } from '../../../src/ingest/symbols/importSuccessors.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { withAllowance } from '../../../src/rights/entityCap.ts'
import { recordPage } from '../../../src/rights/queries.ts'
import { testCursors } from '../../cursors.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { pinsOf } from '../../pins.ts'
import { joinBench } from '../asOfJoins/joinBench.ts'
import { companyDeps, evaluationKey, insertEntity, insertVintages, markets, rightsOf } from './fixtures.ts'

/* Two real successions, entered by hand because their files are not available: CIK 2115436 succeeds Exxon Mobil (CIK
 * 34088) in July 2026, in the middle of its fiscal year, and CIK 2012383 succeeded BlackRock (CIK 1364742) on
 * 2024-10-01. The revenue of Exxon Mobil's years 2024 and 2025 is rounded to millions; all other figures are made
 * up. */

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-successors-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
async function importList(sql: Sql, lines: string, replaces = false) {
  const path = join(folder, `successors-${++files}.csv`)
  writeFileSync(path, `predecessor,successor,from,document\n${lines}\n`)
  return importSuccessors(sql, { paths: [path], replaces }, () => {})
}

const fresh = freshDatabases()
const before = '0000034088'
const after = '0002115436'
const document = '0002115436-26-000001'

/** Both registrants of Exxon Mobil. The successor's first report restates the second quarter. */
async function load(): Promise<Sql> {
  const sql = await fresh()
  const old = await insertEntity(sql, {
    market: 'US',
    issuerId: before,
    ticker: `CIK${before}`,
    name: 'EXXON MOBIL CORP',
  })
  const now = await insertEntity(sql, {
    market: 'US',
    issuerId: after,
    ticker: 'XOM',
    name: 'Exxon Mobil Corporation',
  })
  await insertVintages(sql, old, [
    ['revenue', 0, 2024, '2024-01-01', '2024-12-31', '2025-02-19', 349_585e6, 'o-1'],
    ['revenue', 0, 2025, '2025-01-01', '2025-12-31', '2026-02-18', 332_238e6, 'o-2'],
    ['revenue', 1, 2026, '2026-01-01', '2026-03-31', '2026-05-04', 80_000e6, 'o-3'],
    ['inventory', 0, 2024, null, '2024-12-31', '2025-02-19', 25_000e6, 'o-1'],
  ])
  await insertVintages(sql, now, [
    ['revenue', 1, 2026, '2026-01-01', '2026-03-31', '2026-08-03', 80_100e6, 'n-1'],
    ['revenue', 2, 2026, '2026-04-01', '2026-06-30', '2026-08-03', 81_000e6, 'n-1'],
  ])
  await sql.begin(transaction =>
    advanceDataVersion(transaction, { source: 'us', entities: 2, factsAdded: 6 }),
  )
  return sql
}

const line = `CIK${before},CIK${after},2026-07-01,${document}`

async function answer(sql: Sql, query: FundamentalsQuery, rights = rightsOf('personal')) {
  const deps = companyDeps(sql)
  return answerCompany(deps, rights, query, await planCompany(deps, rights, query))
}
const shown = (list: Awaited<ReturnType<typeof answer>>) =>
  list.data.map(({ m, end, fp, filed, v, issuer_id }) => [m, end, fp, filed, v / 1e6, issuer_id])

describe('Exxon Mobil', () => {
  let sql: Sql
  beforeAll(async () => {
    sql = await load()
    const report = await importList(sql, line)
    expect([report.faults, report.successions, report.changed]).toEqual([[], 1, 1])
  })

  test('merges the histories of two registrants, and lists the succession between them', async () => {
    const list = await answer(sql, { ticker: 'XOM', metric: 'revenue', lineage: 'follow' })
    expect(shown(list)).toEqual([
      ['revenue', '2024-12-31', 'FY', '2025-02-19', 349_585, before],
      ['revenue', '2025-12-31', 'FY', '2026-02-18', 332_238, before],
      ['revenue', '2026-03-31', 'Q1', '2026-05-04', 80_000, before],
      ['revenue', '2026-03-31', 'Q1', '2026-08-03', 80_100, after],
      ['revenue', '2026-06-30', 'Q2', '2026-08-03', 81_000, after],
    ])
    expect(list.lineage).toEqual({
      registrants: [
        { ticker: `CIK${before}`, issuer_id: before },
        { ticker: 'XOM', issuer_id: after },
      ],
      seams: [
        {
          predecessor: before,
          successor: after,
          from: '2026-07-01',
          known: '2026-07-01',
          source: 'operator',
          document,
        },
      ],
    })
    const ofPredecessor = await answer(sql, { ticker: `CIK${before}`, metric: 'revenue', lineage: 'follow' })
    expect(shown(ofPredecessor)).toEqual(shown(list))
  })

  test('has one vintage of each period, and the latest one of each metric', async () => {
    const query = { ticker: 'XOM', metric: 'revenue', fp: 'Q1', lineage: 'follow' } as const
    expect(shown(await answer(sql, { ...query, vintage: 'first' })).map(row => row[4])).toEqual([80_000])
    expect(shown(await answer(sql, { ...query, vintage: 'latest' })).map(row => row[4])).toEqual([80_100])
    const latest = await answer(sql, { ticker: 'XOM', view: 'latest', lineage: 'follow' })
    expect(shown(latest)).toEqual([
      ['inventory', '2024-12-31', 'FY', '2025-02-19', 25_000, before],
      ['revenue', '2026-06-30', 'Q2', '2026-08-03', 81_000, after],
    ])
    expect(latest.data.map(({ stale }) => stale)).toEqual([true, undefined])
  })

  test('reads one registrant without lineage=follow, and a note says so', async () => {
    const list = await answer(sql, { ticker: 'XOM', metric: 'revenue' })
    expect(list.data.every(({ issuer_id }) => issuer_id === after)).toBe(true)
    expect(list.lineage).toBeUndefined()
    expect(list.note).toContain(`Before 2026-07-01 it reported as registrant ${before} (CIK${before}).`)
    const old = await answer(sql, { ticker: before, metric: 'revenue' })
    expect(old.note).toContain(`From 2026-07-01 on it reports as registrant ${after} (XOM).`)
  })

  test('does not follow a successor before the day on which the succession was public', async () => {
    const query = { ticker: before, metric: 'revenue', lineage: 'follow', as_of: '2026-06-30' } as const
    const list = await answer(sql, query)
    expect([list.lineage, list.note]).toEqual([undefined, undefined])
    expect(list.data).toHaveLength(3)
    expect((await answer(sql, { ...query, as_of: '2026-07-01' })).lineage).toBeDefined()
  })

  test('refuses parameters that rows of two registrants cannot support', async () => {
    for (const [change, param] of [
      [{ layout: 'wide' }, 'layout'],
      [{ adjust: 'splits' }, 'adjust'],
    ] as const) {
      const refused = answer(sql, { ticker: 'XOM', lineage: 'follow', ...change })
      await expect(refused).rejects.toMatchObject({ code: 'parameter_invalid', details: { param } })
    }
  })

  test('has figures of both registrants in a join, each row by what was public before its date', async () => {
    const bench = await joinBench(sql)
    try {
      const date = ['2026-03-02', '2026-05-05', '2026-07-01', '2026-07-02', '2026-08-03', '2026-08-04']
      const ask = (lineage: 'follow' | 'none') =>
        bench.join({
          rows: { date, ticker: date.map(() => 'XOM') },
          metrics: ['revenue'],
          fp: 'latest',
          lineage,
        })
      const none = await ask('none')
      expect(none.columns.revenue).toEqual([null, null, null, null, null, 81_000e6])
      expect(none.lineages?.map(({ followed, seams }) => [followed, seams[0]?.from])).toEqual([
        [false, '2026-07-01'],
      ])
      const follow = await ask('follow')
      // It became public on 2026-07-01, so not before that date.
      expect(follow.columns.revenue).toEqual([null, null, null, 80_000e6, 80_000e6, 81_000e6])
      expect(follow.lineages?.[0]?.followed).toBe(true)
    } finally {
      await bench.close()
    }
  })

  test('has the same figures at times: each counts from the end of its day, because no filing has a time', async () => {
    const bench = await joinBench(sql)
    try {
      const time = [
        '2026-07-01T12:00:00',
        '2026-07-01T23:59:59',
        '2026-07-02T00:00:00',
        '2026-08-04T00:00:00',
      ]
      const answer = await bench.join({
        rows: { time: time.map(at => `${at}-04:00`), ticker: time.map(() => 'XOM') },
        metrics: ['revenue'],
        fp: 'latest',
        lineage: 'follow',
        with: ['known_by'],
      })
      expect(answer.columns.revenue).toEqual([null, null, 80_000e6, 81_000e6])
      expect(answer.columns.revenue_known_by).toEqual([null, null, 'day', 'day'])
    } finally {
      await bench.close()
    }
  })
})

test('a document on record decides from which day on a succession is known, whichever is imported first', async () => {
  for (const isListFirst of [true, false]) {
    const sql = await load()
    const addFiling = () => sql`
      insert into filing (accession, entity_id, form, filed)
      select ${document}, entity_id, '8-K12B', '2026-07-06' from entity where issuer_id = ${after}`
    if (isListFirst) await importList(sql, line)
    await addFiling()
    if (!isListFirst) await importList(sql, line)
    const [seam] = await readSuccessions(sql)
    expect([seam?.from, seam?.known, seam?.source]).toEqual(['2026-07-01', '2026-07-06', 'filing'])
    const query = { ticker: 'XOM', lineage: 'follow' } as const
    expect((await answer(sql, { ...query, as_of: '2026-07-05' })).lineage).toBeUndefined()
    expect((await answer(sql, { ...query, as_of: '2026-07-06' })).lineage).toBeDefined()
  }
})

test('lists in any order give the same successions, name bad lines, and can be replaced', async () => {
  const lists = [`CIK1364742,2012383,2024-10-01,`, `1364742,CIK2012383,2024-10-02,0002012383-24-000001`, line]
  const found: object[] = []
  for (const order of [lists, lists.toReversed()]) {
    const sql = await fresh()
    for (const one of [...order, ...order]) await importList(sql, one)
    found.push(
      (
        await sql`select market, predecessor, successor, from_day, known, document from succession order by predecessor`
      ).map(row => ({ ...row })),
    )
    const version = await readDataVersion(sql)
    expect((await importList(sql, lists.join('\n'))).dataVersion).toBeNull()
    expect(await readDataVersion(sql)).toBe(version)
  }
  expect(found[1]).toEqual(found[0] ?? {})
  expect(found[0]).toMatchObject([
    { predecessor: before, successor: after },
    {
      predecessor: '0001364742',
      successor: '0002012383',
      from_day: '2024-10-01',
      document: '0002012383-24-000001',
    },
  ])
  const sql = await load()
  await sql`insert into filing (accession, entity_id, form, filed)
    select '0002115436-26-000009', entity_id, '8-K', '2026-07-06' from entity where issuer_id = ${after}`
  const bad = await importList(
    sql,
    `XOM,XOM,2026-07-01,\nNOSUCH,XOM,2026-07-01,\n${before},XOM,July,\n${before},XOM,2026-07-01,0002115436-26-000009`,
  )
  expect(bad.faults.map(({ line: at, reason }) => [at, reason])).toEqual([
    [4, 'from is "JULY", but must be a day as YYYY-MM-DD'],
    [2, 'XOM and XOM are the same registrant'],
    [3, 'predecessor is NOSUCH, which is neither a register number nor the ID of a company here'],
    [
      5,
      'document is 0002115436-26-000009, whose form is 8-K. Only an 8-K12B, 8-K12G3 or 8-K15D5 states a succession',
    ],
  ])
  await importList(sql, line)
  expect(await importList(sql, '1364742,2012383,2024-10-01,', true)).toMatchObject({ removed: 1, changed: 1 })
})

test('the change feed names both registrants of a succession once it is imported, and when it is removed', async () => {
  const sql = await load()
  const version = await readDataVersion(sql)
  const changesSince = async (since: number) => {
    const sent = { sql, cursors: testCursors }
    const { data } = await listChanges(sent, { since, limit: 100 }, '2026-11-20', markets.manifests)
    return data.map(({ version: of, change, ticker }) => [of, change, ticker])
  }
  await importList(sql, line)
  const both = [
    [version + 1, 'symbols', `CIK${before}`],
    [version + 1, 'symbols', 'XOM'],
  ]
  expect(await changesSince(version)).toEqual(both)
  await importList(sql, '1364742,2012383,2024-10-01,', true)
  expect(await changesSince(version + 1)).toEqual(both.map(([, ...row]) => [version + 2, ...row]))
  expect(await changesSince(version + 2)).toEqual([])
})

test('a symbol that moves from one registrant to another makes no succession', async () => {
  const sql = await load()
  await sql`update entity_ticker set entity_id = (select entity_id from entity where issuer_id = ${before}) where ticker = 'XOM'`
  expect(await readSuccessions(sql)).toEqual([])
  expect((await answer(sql, { ticker: 'XOM', lineage: 'follow' })).lineage).toBeUndefined()
})

test('a registrant that splits keeps its figures, and lineages of several registrants are found from each of them', async () => {
  const registrant = (entityId: number) => ({
    entityId,
    ticker: `T${entityId}`,
    issuerId: `${entityId}`,
    market: 'US',
  })
  const seam = (one: number, other: number, known: string) => ({
    predecessor: registrant(one),
    successor: registrant(other),
    from: known,
    known,
    source: 'operator' as const,
    document: null,
  })
  // 1 becomes 2 in 2010, which splits into 3 and 4 in 2015; 5 merges into 3 in 2018; 6 and 7 are another company.
  const all = [
    seam(1, 2, '2010-01-04'),
    seam(2, 3, '2015-07-01'),
    seam(2, 4, '2015-07-01'),
    seam(5, 3, '2018-01-02'),
    seam(6, 7, '2012-01-02'),
  ]
  const members = (entityId: number, day: string) =>
    lineageOf(all, entityId, day)
      ?.registrants.map(one => one.entityId)
      .sort() ?? []
  expect(members(1, '2010-01-03')).toEqual([])
  expect(members(1, '2010-01-04')).toEqual([1, 2])
  expect(members(2, '2015-07-01')).toEqual([1, 2, 3, 4])
  expect(members(5, '2017-12-31')).toEqual([])
  for (const entityId of [1, 2, 3, 4, 5]) expect(members(entityId, '2018-01-02')).toEqual([1, 2, 3, 4, 5])
  expect(members(7, '2026-01-01')).toEqual([6, 7])
  expect(kinOf(all, 1).map(({ registrant: { entityId }, known }) => [entityId, known])).toEqual([
    [2, '2010-01-04'],
    [3, '2015-07-01'],
    [4, '2015-07-01'],
    [5, '2018-01-02'],
  ])
})

test('a capped key counts a lineage once', async () => {
  const sql = await load()
  await insertEntity(sql, { market: 'US', issuerId: '0000000777', ticker: 'SEVEN', name: 'Seven Inc.' })
  await importList(sql, line)
  const rights = await evaluationKey(sql, 1)
  await answer(sql, { ticker: 'XOM', lineage: 'follow' }, rights)
  await answer(sql, { ticker: before }, rights)
  await expect(answer(sql, { ticker: 'SEVEN' }, rights)).rejects.toThrow('may see 1 distinct companies')
  const [{ ids }] = await sql<
    [{ ids: number[] }]
  >`select array_agg(entity_id order by entity_id) as ids from entity`
  const left = await withAllowance(sql, rights, allowance => allowance?.left)
  expect(left).toBe(0)
  const two = await evaluationKey(sql, 2)
  expect(await recordPage(sql, two.keyId ?? 0, ids.slice(0, 2), 2, 2)).toBe(true)
  // It has seen one of two companies.
  expect(await withAllowance(sql, two, allowance => allowance?.left)).toBe(1)
})

test('a pinned version does not contain a succession that was imported later', async () => {
  const sql = await load()
  const version = await readDataVersion(sql)
  await importList(sql, line)
  const pins = pinsOf(sql)
  try {
    const lineageAt = (pinned: number) =>
      pins.use(pinned, async store => {
        const query = { ticker: 'XOM', lineage: 'follow' } as const
        return (await planCompany({ ...companyDeps(sql), ...store }, rightsOf('personal'), query)).lineage
      })
    expect(await lineageAt(version)).toBeNull()
    expect(await lineageAt(version + 1)).not.toBeNull()
  } finally {
    await pins.close()
  }
})
