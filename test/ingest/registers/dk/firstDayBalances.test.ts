import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dayNumber } from '../../../../src/dates.ts'
import { readReport } from '../../../../src/ingest/registers/dk/reports.ts'
import { sharedPath } from '../../../shared.ts'
import { factsOf } from '../factLines.ts'

/* Balances that real reports date on the first day of a period. None is served: each is explained here, in thousands of kroner. */

const folder = sharedPath('registers/dk')
const balance = 'a balance on the first day of a period'

/** An opening balance: its element, its day, its amount, and what the same report states for the evening before. */
type Opening = readonly [element: string, day: string, amount: number, eveningBefore: number | null]

interface Explained {
  readonly reason: string
  readonly openings: Readonly<Record<string, readonly Opening[]>>
}

const netcompanyAtTransition: readonly Opening[] = [
  ['CurrentAssets', '2015-01-01', 354_952, null],
  ['Assets', '2015-01-01', 384_876, null],
  ['Equity', '2015-01-01', 212_592, null],
  ['CurrentLiabilities', '2015-01-01', 172_284, null],
  ['Liabilities', '2015-01-01', 172_284, null],
]
const consultingAtTransition: readonly Opening[] = [
  ['CurrentAssets', '2015-01-01', 404_928, null],
  ['Assets', '2015-01-01', 425_106, null],
  ['Equity', '2015-01-01', 263_922, null],
  ['CurrentLiabilities', '2015-01-01', 161_184, null],
  ['Liabilities', '2015-01-01', 161_184, null],
]

const explained: readonly Explained[] = [
  {
    reason: 'It repeats the balance of the evening before, which is served.',
    openings: {
      'capgemini.xml': [['Equity', '2016-01-01', 57_032, 57_032]],
      'deloitte-ifrs.xml': [['CashAndCashEquivalents', '2016-06-01', -56_000, -56_000]],
      'miracle.xml': [['Equity', '2016-07-01', 17_021.782, 17_021.782]],
      'nc-business.xml': [['CashAndCashEquivalents', '2016-01-01', 91_659, 91_659]],
      'nc-itbusiness.xml': [['CashAndCashEquivalents', '2016-01-01', 91_659, 91_659]],
      'nc-ifrs.xml': [['CashAndCashEquivalents', '2016-01-01', 111_493, 111_493]],
      'netcompany.xml': [['CashAndCashEquivalents', '2016-01-01', 111_493, 111_493]],
    },
  },
  {
    reason:
      'It opens the changes in equity or the cash flows of the prior year, whose own report states the evening before.',
    openings: {
      'capgemini.xml': [['Equity', '2015-01-01', 43_215, null]],
      'deloitte-ifrs.xml': [['CashAndCashEquivalents', '2015-06-01', -127_000, null]],
      'nc-business.xml': [['CashAndCashEquivalents', '2015-01-01', 8_847, null]],
      'nc-itbusiness.xml': [['CashAndCashEquivalents', '2015-01-01', 8_847, null]],
      'nc-ifrs.xml': [['CashAndCashEquivalents', '2015-01-01', 12_875, null]],
      'netcompany.xml': [['CashAndCashEquivalents', '2015-01-01', 12_875, null]],
    },
  },
  {
    reason:
      'It is of the opening balance sheet under IFRS, which differs from the one that closed the year before.',
    openings: {
      'nc-business.xml': consultingAtTransition,
      'nc-itbusiness.xml': consultingAtTransition,
      'nc-ifrs.xml': netcompanyAtTransition,
      'netcompany.xml': netcompanyAtTransition,
    },
  },
  {
    reason:
      'It opens the cash flows: the balance sheet of 31 December 2018 has no such item, but ifrs-full:Cash of 3,515 million.',
    openings: {
      'orsted_2019Q4.xml': [
        ['CashAndCashEquivalents', '2019-07-01', 6_311_000, null],
        ['CashAndCashEquivalents', '2018-07-01', 2_628_000, null],
        ['CashAndCashEquivalents', '2019-01-01', 2_663_000, null],
        ['CashAndCashEquivalents', '2018-01-01', 3_891_000, null],
      ],
    },
  },
]

describe.skipIf(folder === null)('opening balances of the real reports', () => {
  const read = async (name: string) => readReport(await Bun.file(`${folder}/xbrl/${name}`).text(), name)
  const served = async (name: string, element: string, day: string) => {
    const facts = factsOf(await read(name)).filter(
      ({ tag, start }) => start === null && tag.endsWith(`:${element}`),
    )
    return facts.find(({ end }) => end === dayNumber(day))?.value
  }

  test('are as many as are explained, report by report', async () => {
    const counts: Record<string, number> = {}
    for (const { openings } of explained)
      for (const [name, ofReport] of Object.entries(openings))
        counts[name] = (counts[name] ?? 0) + ofReport.length
    for (const name of folder === null ? [] : readdirSync(`${folder}/xbrl`)) {
      const { leftOut } = await read(name)
      expect([name, leftOut?.[balance] ?? 0]).toEqual([name, counts[name] ?? 0])
    }
  })

  for (const { reason, openings } of explained) {
    test(reason, async () => {
      for (const [name, ofReport] of Object.entries(openings)) {
        const text = await Bun.file(`${folder}/xbrl/${name}`).text()
        for (const [element, day, amount, eveningBefore] of ofReport) {
          const stated = new RegExp(`<[\\w-]+:${element}\\s[^>]*>\\s*${Math.round(amount * 1_000)}\\s*<`)
          expect([name, element, stated.test(text)]).toEqual([name, element, true])
          expect([name, element, await served(name, element, day)]).toEqual([name, element, undefined])
          const evening = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
          const before = await served(name, element, evening)
          expect([name, element, before ?? null]).toEqual([
            ...[name, element],
            eveningBefore === null ? null : Math.round(eveningBefore * 1_000),
          ])
        }
      }
    })
  }

  test('at the change to IFRS are not what closed the year before: three of four balances of Netcompany differ', async () => {
    // The group in the report of 2014, under Danish rules.
    const closing = await Promise.all(
      ['CurrentAssets', 'Assets', 'Equity', 'ShorttermLiabilitiesOtherThanProvisions'].map(element =>
        served('nc-2014.xml', element, '2014-12-31'),
      ),
    )
    expect(closing).toEqual([349_024_000, 378_948_000, 212_592_000, 166_356_000])
    const opening = netcompanyAtTransition.slice(0, 4).map(([, , amount]) => amount * 1_000)
    expect(opening.map((amount, at) => amount - (closing[at] ?? 0))).toEqual([
      5_928_000, 5_928_000, 0, 5_928_000,
    ])
  })
})
