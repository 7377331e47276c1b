import { expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { endOfMonth } from '../../src/dates.ts'
import { knownStandardStatement, placePresentation } from '../../src/standardLines/knownStandardStatement.ts'
import { quartersOf } from '../../src/wholeFilings/layOut.ts'
import type { WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'

setDefaultTimeout(120_000)

/*
 * Companies whose reports come in any order, amend earlier ones, and sometimes state a year to date that is not the sum
 * of its quarters. The reference is a list of what each report states, in the order in which the reports were filed.
 */

interface Stated {
  /** Of the last quarter, counted from that of the first report. */
  readonly last: number
  readonly quarters: number
  readonly value: number
}

interface Report {
  readonly accession: string
  readonly filed: number
  readonly last: number
  readonly figures: readonly Stated[]
}

const dayOf = (quarter: number) => endOfMonth(2011 + Math.floor(quarter / 4), ((quarter % 4) + 1) * 3)

const reportShape = fc.record({
  delay: fc.integer({ min: 1, max: 320 }),
  error: fc.constantFrom(0, 0, 0, 0, 7_000),
  restates: fc.constantFrom(0, 0, 0, 300),
  statesFourth: fc.boolean(),
  amends: fc.constantFrom(false, false, true),
})
const company = fc.array(reportShape, { minLength: 2, maxLength: 9 })
type Shape = typeof company extends fc.Arbitrary<infer Shapes> ? Shapes : never

function reportsOf(shapes: Shape): Report[] {
  const quarter = (at: number, restated: number) => 50_000 + at * 1_000 + restated
  const reports = shapes.flatMap((shape, last): Report[] => {
    const make = (part: number, filed: number, restated: number, error: number): Report => {
      const quarters = (last % 4) + 1
      const toDate = Array.from({ length: quarters }, (_, before) =>
        quarter(last - before, before === 0 ? restated : 0),
      ).reduce((sum, each) => sum + each, error)
      const figures = [{ last, quarters, value: toDate }]
      if (quarters > 1 && (quarters < 4 || shape.statesFourth))
        figures.push({ last, quarters: 1, value: quarter(last, restated) })
      return { accession: `0000000001-11-${String(last * 10 + part).padStart(6, '0')}`, filed, last, figures }
    }
    const filed = dayOf(last) + shape.delay
    const first = make(0, filed, 0, shape.error)
    return shape.amends ? [first, make(1, filed + 90, shape.restates, 0)] : [first]
  })
  return reports.sort((a, b) => a.filed - b.filed || (a.accession < b.accession ? -1 : 1))
}

function filingOf({ accession, figures }: Report): WholeFiling {
  const lines = ['us-gaap:Revenues', 'us-gaap:NetIncomeLoss']
  return {
    accession,
    taxonomies: new Map(),
    figures: figures.flatMap(({ last, quarters, value }) =>
      lines.map((concept, at) => ({
        concept,
        context: { start: null, end: dayOf(last), quarters, dimensions: [] },
        unit: 'USD',
        decimals: 0,
        value: String(at === 0 ? value : 77),
      })),
    ),
    statements: [
      {
        role: '1',
        title: null,
        kind: 'IS',
        parenthetical: false,
        lines: lines.map((concept, order) => ({
          order,
          concept,
          depth: null,
          label: order === 0 ? 'Net sales' : 'Net income',
          labelRole: null,
          negated: false,
        })),
      },
    ],
    sums: [],
    defaultMembers: new Map(),
  }
}

const keyOf = ({ last, quarters }: Pick<Stated, 'last' | 'quarters'>) => `${last}/${quarters}`

/** The state of each figure of a report, from it and the reports filed before it. */
function reference(reports: readonly Report[], index: number): ReadonlyMap<string, string> {
  const latest = new Map<string, { readonly value: number; readonly by: number }>()
  for (let by = 0; by <= index; by++)
    for (const stated of reports[by].figures) latest.set(keyOf(stated), { value: stated.value, by })
  const states = new Map(reports[index].figures.map(stated => [keyOf(stated), 'unchecked']))
  for (const [whole, { value, by }] of latest) {
    const [last, quarters] = whole.split('/').map(Number)
    const divisions = [
      [keyOf({ last, quarters: 1 }), keyOf({ last: last - 1, quarters: quarters - 1 })],
      Array.from({ length: quarters }, (_, before) => keyOf({ last: last - before, quarters: 1 })),
    ]
    const parts = quarters === 1 ? undefined : divisions.find(keys => keys.every(key => latest.has(key)))
    if (parts === undefined) continue
    const sum = parts.reduce((total, key) => total + (latest.get(key)?.value ?? 0), 0)
    const takesPart = [{ key: whole, by }, ...parts.map(key => ({ key, by: latest.get(key)?.by }))]
    for (const each of takesPart) {
      if (each.by !== index || states.get(each.key) === 'contradicted') continue
      // Each figure is rounded to one.
      states.set(each.key, Math.abs(value - sum) <= (parts.length + 1) / 2 ? 'consistent' : 'contradicted')
    }
  }
  return states
}

test('a figure has the state that its report and those before it give it, on every later day', () => {
  let figures = 0
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      company,
      fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 3, maxLength: 3 }),
      (shapes, days) => {
        const reports = reportsOf(shapes)
        const expected = new Map(
          reports.map((report, index) => [report.accession, reference(reports, index)]),
        )
        for (const day of days) {
          const known = reports.filter(({ filed }) => filed <= dayOf(0) + day).reverse()
          const [latest] = [...known].sort((a, b) => b.last - a.last)
          if (latest === undefined) continue
          const inOrder = [latest, ...known.filter(each => each !== latest)]
          const presentations = inOrder.map(report => {
            const filing = filingOf(report)
            return { ...filing, statement: filing.statements[0] }
          })
          const placed = inOrder.flatMap(report => {
            const place = { accession: report.accession, rank: known.indexOf(report) }
            return placePresentation('income', filingOf(report), null, place) ?? []
          })
          const { columns, lines } = knownStandardStatement(presentations, placed)
          const revenue = lines.find(({ line }) => line.name === 'revenue')
          columns.forEach(({ period, accession }, column) => {
            const last = Array.from(shapes, (_, at) => at).find(at => dayOf(at) === period.end) ?? -1
            const state = revenue?.cells[column]?.check.state
            const key = keyOf({ last, quarters: quartersOf(period) })
            expect([accession, key, state]).toEqual([accession, key, expected.get(accession)?.get(key)])
            figures++
            seen.add(String(state))
          })
        }
      },
    ),
    { numRuns: 300, seed: 29 },
  )
  expect(figures).toBeGreaterThan(1_000)
  expect([...seen].sort()).toEqual(['consistent', 'contradicted', 'unchecked'])
})
