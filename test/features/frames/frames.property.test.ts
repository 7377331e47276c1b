import { afterAll, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { dayNumber, isIsoDate, isoDate } from '../../../src/dates.ts'
import { planFrame, readFramePage } from '../../../src/features/frames/frames.ts'
import { FrameList, type FramesQuery } from '../../../src/features/frames/schema.ts'
import type { PageViewer } from '../../../src/features/marketPages/query.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { Terms } from '../../../src/wholeFilings/terms.ts'
import type { ReportedFigure } from '../../../src/wholeFilings/wholeFiling.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { pinsOf } from '../../pins.ts'
import { type FiledWhole, storeFiled } from '../../wholeFilings/stored.ts'
import {
  asCapped,
  companyDeps,
  evaluationKey,
  rightsOf,
  seenEntities,
  viewerOf,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

const database: TestDatabase = await testDatabase()
const { sql } = database
const deps = { ...companyDeps(sql), terms: new Terms() }
const personal = rightsOf('personal')
afterAll(() => database.close(), 60_000)

const query = (sent: Partial<FramesQuery>): FramesQuery => ({
  tag: 'us-gaap:Assets',
  period: 'CY2009Q2I',
  unit: 'USD',
  market: 'US',
  ...sent,
})

async function readAs(viewer: PageViewer, sent: Partial<FramesQuery>, from = deps) {
  const plan = planFrame(from, viewer, query(sent))
  const list = await readFramePage(from, viewer.rights, plan)
  expect([...Value.Errors(FrameList, list)]).toEqual([])
  return list
}
const shown = async (sent: Partial<FramesQuery>, viewer = viewerOf(personal)) =>
  (await readAs(viewer, sent)).data.map(({ issuer_id, accession, value }) => [issuer_id, accession, value])

const quarterEnd = dayNumber('2009-06-30')
const firstDay = dayNumber('2009-07-10')
const days = 12
const figureOf = (tag: string, end: number, value: number, member: string | null): ReportedFigure => ({
  concept: tag,
  context: {
    start: null,
    end,
    quarters: null,
    dimensions: member === null ? [] : [{ axis: 'own:Axis', member }],
  },
  unit: 'USD',
  decimals: -3,
  value: `${value}`,
})
const figure = fc
  .record({
    tag: fc.constantFrom('us-gaap:Assets', 'us-gaap:Assets', 'us-gaap:Cash'),
    end: fc.constantFrom(quarterEnd, quarterEnd, quarterEnd - 91, quarterEnd - 2),
    value: fc.integer({ min: 1, max: 9 }),
    member: fc.constantFrom(null, null, 'own:Member'),
  })
  .map(({ tag, end, value, member }) => figureOf(tag, end, value, member))
const drafts = fc.array(
  fc.record({
    company: fc.nat(5),
    /** Some reports are also of another company, which states figures of its own. */
    coFiler: fc.option(fc.nat(5), { freq: 3 }),
    /** Some filings have an hour of New York. */
    hour: fc.option(fc.integer({ min: 6, max: 21 })),
    day: fc.nat(days - 1),
    figures: fc.uniqueArray(figure, {
      maxLength: 4,
      selector: ({ concept, context: { end, dimensions } }) => `${concept} ${end} ${dimensions.length}`,
    }),
  }),
  { minLength: 1, maxLength: 24 },
)

/** Whether a filing was public, by the words of the rule. In July New York is four hours behind UTC. */
function isPublic({ filed, acceptedAt }: FiledWhole, asOf: string): boolean {
  if (asOf.length === 10) return filed <= dayNumber(asOf)
  if (acceptedAt != null) return acceptedAt.getTime() <= Date.parse(asOf)
  return filed < dayNumber(asOf.slice(0, 10))
}

/** By reading every filing of every company, the latest first. */
function bruteForce(filed: readonly FiledWhole[], asOf: string) {
  const latestFirst = filed
    .filter(one => isPublic(one, asOf))
    .toSorted(
      (a, b) =>
        b.filed - a.filed ||
        (b.acceptedAt?.getTime() ?? Number.POSITIVE_INFINITY) -
          (a.acceptedAt?.getTime() ?? Number.POSITIVE_INFINITY) ||
        (b.whole.accession < a.whole.accession ? -1 : 1),
    )
  const rows: [string, string, number][] = []
  for (const company of new Set(filed.map(({ issuerId }) => issuerId))) {
    for (const { issuerId, whole } of latestFirst) {
      const stated = whole.figures
        .filter(({ concept, context: { end, dimensions } }) => {
          return concept === 'us-gaap:Assets' && end >= quarterEnd - 2 && dimensions.length === 0
        })
        .sort((a, b) => b.context.end - a.context.end)
      if (issuerId !== company || stated.length === 0) continue
      rows.push([company, whole.accession, Number(stated[0].value)])
      break
    }
  }
  return rows
}

test('of each company the value of the latest filing that was public, as a reader of all filings finds it', async () => {
  let round = 0
  let compared = 0
  await fc.assert(
    fc.asyncProperty(drafts, async sent => {
      round++
      await sql`delete from filing`
      const filed = sent.flatMap(({ company, coFiler, hour, day, figures }, at): FiledWhole[] => {
        const on = firstDay + day
        const own: FiledWhole = {
          market: 'US',
          issuerId: `${company}`.padStart(10, '0'),
          form: '10-Q',
          filed: on,
          acceptedAt:
            hour === null
              ? null
              : new Date(Date.parse(`${isoDate(on)}T${`${hour}`.padStart(2, '0')}:00:00-04:00`)),
          whole: {
            accession: `${round}-${at}`,
            figures,
            taxonomies: new Map(),
            statements: [],
            sums: [],
            defaultMembers: new Map(),
          },
        }
        if (coFiler === null || coFiler === company) return [own]
        const others = figures.map(each => ({ ...each, value: `${Number(each.value) + 10}` }))
        return [
          own,
          { ...own, issuerId: `${coFiler}`.padStart(10, '0'), whole: { ...own.whole, figures: others } },
        ]
      })
      await storeFiled(sql, filed)
      const asOf = Array.from({ length: days }, (_, day) => isoDate(firstDay + day))
      for (const day of asOf) {
        for (const known of [day, `${day}T13:00:00-04:00`]) {
          const expected = bruteForce(filed, known)
          const found = await shown({ as_of: known })
          expect([known, found.toSorted()]).toEqual([known, expected.toSorted()])
          compared += found.length
          if (found.length < 2) continue
          // Page by page, in the same order.
          const first = await readAs(viewerOf(personal), { as_of: known, limit: 1 })
          const rest = await shown({ as_of: known, cursor: first.next ?? '' })
          expect([[first.data[0].issuer_id, first.data[0].accession, first.data[0].value], ...rest]).toEqual(
            found,
          )
        }
      }
    }),
    { numRuns: 15 },
  )
  expect(compared).toBeGreaterThan(100)
}, 120_000)

/** A company with a filing of one figure. */
const simple = (
  issuerId: string,
  accession: string,
  day: string,
  value: number,
  more: Partial<FiledWhole> = {},
): FiledWhole => ({
  market: 'US',
  issuerId,
  form: '10-Q',
  filed: dayNumber(day),
  whole: {
    accession,
    figures: [figureOf('us-gaap:Assets', quarterEnd, value, null)],
    taxonomies: new Map(),
    statements: [],
    sums: [],
    defaultMembers: new Map(),
  },
  ...more,
})

test('content that a register edited counts from the end of the day on which it was seen, and the first from the filing', async () => {
  await sql`delete from filing`
  await storeFiled(sql, [simple('E', 'edited', '2009-08-01', 1, { seenOn: dayNumber('2009-09-01') })])
  await storeFiled(sql, [simple('E', 'edited', '2009-08-01', 2, { seenOn: dayNumber('2009-09-10') })])
  expect(await shown({ as_of: '2009-07-31' })).toEqual([])
  expect(await shown({ as_of: '2009-08-01' })).toEqual([['E', 'edited', 1]])
  expect(await shown({ as_of: '2009-09-09' })).toEqual([['E', 'edited', 1]])
  expect(await shown({ as_of: '2009-09-10T23:00:00-04:00' })).toEqual([['E', 'edited', 1]])
  expect(await shown({ as_of: '2009-09-10' })).toEqual([['E', 'edited', 2]])
})

test('an earlier data version shows what was on record then', async () => {
  await sql`delete from filing`
  const pins = pinsOf(sql)
  try {
    const save = async (value: number) => {
      await storeFiled(sql, [simple('P', 'pinned', '2009-08-01', value)])
      await sql.begin(transaction =>
        advanceDataVersion(transaction, { source: 'us', entities: 0, factsAdded: 0 }),
      )
      return readDataVersion(sql)
    }
    const first = await save(1)
    const second = await save(2)
    const valuesAt = (version: number) =>
      pins.use(version, async store =>
        (await readAs(viewerOf(personal), {}, { ...deps, ...store, terms: new Terms() })).data.map(
          row => row.value,
        ),
      )
    expect([await valuesAt(first), await valuesAt(second)]).toEqual([[1], [2]])
  } finally {
    await pins.close()
  }
})

test('a key that may see two companies gets no third one, and learns nothing of it', async () => {
  await sql`delete from filing`
  await storeFiled(
    sql,
    ['A', 'B', 'C'].map(id => simple(id, `of ${id}`, '2009-08-01', 1)),
  )
  const capped = await evaluationKey(sql, 2)
  const page = (sent: Partial<FramesQuery>) => asCapped(sql, capped, viewer => readAs(viewer, sent))
  const first = await page({})
  expect(first.data.map(row => row.issuer_id)).toEqual(['A', 'B'])
  expect(await seenEntities(sql, capped)).toHaveLength(2)
  const onlySeen = await page({ limit: 1_000 })
  expect([onlySeen.data.map(row => row.issuer_id), onlySeen.seen_only]).toEqual([['A', 'B'], true])
  // What the third company states changes nothing.
  await sql`delete from filing where accession = 'of C'`
  expect(await page({ limit: 1_000 })).toEqual({ ...onlySeen, data_version: expect.any(Number) })
})

test('keys without the history of the market, and periods that are no frame, are refused', async () => {
  for (const licence of ['demo', 'free'] as const)
    expect(() => planFrame(deps, viewerOf(rightsOf(licence)), query({}))).toThrow(
      /requires an evaluation key/,
    )
  for (const period of ['2009', 'CY2009Q5', 'CY2009I', 'FY2009'])
    expect(() => planFrame(deps, viewerOf(personal), query({ period }))).toThrow(/is not a frame. Send/)
})
