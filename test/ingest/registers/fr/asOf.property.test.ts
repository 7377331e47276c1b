import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addMonths, dayNumber, isoDate } from '../../../../src/dates.ts'
import { deriveFacts } from '../../../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../../../src/facts/factRow.ts'
import type { ReportedFact } from '../../../../src/facts/reportedFact.ts'
import { readFrenchReport } from '../../../../src/ingest/registers/fr/readDocument.ts'
import { frRegister } from '../../../../src/ingest/registers/fr/register.ts'
import { accounts } from './accounts.ts'

const compact = (day: number) => isoDate(day).replaceAll('-', '')

/** A deposit for a year that ends with a month, with its length in months and the days until it was filed. */
const deposit = fc.record({
  month: fc.integer({ min: 0, max: 40 }),
  months: fc.constantFrom(12, 12, 12, 6, 18),
  delay: fc.integer({ min: 1, max: 900 }),
  form: fc.constantFrom('C', 'S', 'K'),
  confidentiality: fc.constantFrom('0', '0', '2'),
  revenue: fc.integer({ min: 1, max: 5 }),
  assets: fc.integer({ min: 1, max: 5 }),
})

const statementsOf = (deposits: readonly (typeof deposit extends fc.Arbitrary<infer T> ? T : never)[]) =>
  deposits.flatMap(({ month, months, delay, form, confidentiality, revenue, assets }, number) => {
    const end = addMonths(dayNumber('2015-12-31'), month)
    const before = addMonths(end, -months)
    const [page, code] = form === 'S' ? ['02', '210'] : ['03', 'FJ']
    const text = accounts(
      {
        date_cloture_exercice: compact(end),
        'date_cloture_exercice_n-1': compact(before),
        duree_exercice_n: String(months),
        date_depot: compact(end + delay),
        num_depot: String(number + 1),
        code_type_bilan: form,
        code_confidentialite: confidentiality,
      },
      `<page numero="01"><liasse code="${form === 'S' ? '110' : 'CO'}" m3="${assets}" m4="${assets + 1}"/></page>
      <page numero="${page}"><liasse code="${code}" m1="${revenue}" m2="${revenue + 1}" m3="${revenue}" m4="${revenue + 1}"/></page>`,
    )
    const { parsed } = readFrenchReport({ name: 'a.xml', bytes: Buffer.from(text) })
    return parsed.flatMap(({ reportedFacts }) => reportedFacts)
  })

const visible = (statements: readonly ReportedFact[], day: number) => {
  const { facts } = deriveFacts(statements, { rules: frRegister.rules, fiscalYearEnd: null })
  const row = ({ metric, fp, fy, start, end, value, filing, superseded }: FactRow) =>
    [metric, fp, fy, start, end, value, filing.filed, superseded !== null && superseded <= day].join('|')
  return facts
    .filter(({ filing }) => filing.filed <= day)
    .map(row)
    .sort()
}

test('the facts visible on a day are those that the deposits up to it alone would give, whatever the length of years', () => {
  fc.assert(
    fc.property(
      fc.array(deposit, { maxLength: 6 }),
      fc.integer({ min: 0, max: 2_200 }),
      (deposits, later) => {
        const statements = statementsOf(deposits)
        const day = dayNumber('2015-12-31') + later
        const filed = statements.filter(({ filing }) => filing.filed <= day)
        expect(visible(statements, day)).toEqual(visible(filed, day))
        expect(visible([...statements].reverse(), day)).toEqual(visible(statements, day))
      },
    ),
    { numRuns: 300 },
  )
})
