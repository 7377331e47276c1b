import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { announcesResults } from '../../../../src/ingest/registers/us/forms.ts'
import { parseSubmissions } from '../../../../src/ingest/registers/us/submissions.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'

const lists = sharedPath('registers/us/submissions')

const announces = (form: string, items: string, day = '2020-02-03') =>
  announcesResults(form, items, dayNumber(day))

test('a Form 8-K announces results if item 2.02 is among its items', () => {
  for (const items of ['2.02', '2.02,9.01', '1.01,2.02,9.01', '9.01, 2.02'])
    expect([announces('8-K', items), announces('8-K/A', items)]).toEqual([true, true])
  for (const items of ['', '9.01', '12.02', '2.020', '2.01', '12'])
    expect(announces('8-K', items)).toBeFalse()
  for (const form of ['6-K', '8-K12B', '10-Q', 'X8-K', '8-K/A/A']) expect(announces(form, '2.02')).toBeFalse()
})

test('before the items were renumbered, it was item 12', () => {
  const days = ['2003-03-27', '2003-03-28', '2004-08-22', '2004-08-23']
  expect(days.map(day => announces('8-K', '12,7', day))).toEqual([false, true, true, false])
  expect(announces('8-K', '2,7', '2003-07-31')).toBeFalse()
})

test.skipIf(lists === null)(
  "CARBO Ceramics' announcements are found across the change of numbers",
  async () => {
    const found: string[] = []
    for (const name of ['CIK0001009672-submissions-001.json', 'CIK0001009672.json']) {
      const document = await Bun.file(join(lists ?? '', name)).json()
      for (const { issuerId, filing } of parseSubmissions(document, name).announcements) {
        expect(issuerId).toBe('0001009672')
        found.push(`${isoDate(filing.filed)} ${filing.accession}`)
      }
    }
    // As EDGAR lists them: items "12,7", and from October 2004 on "2.02,9.01". Until April 2003 these press releases were
    // under item 5, "Other Events", like anything else.
    expect(found.sort().slice(0, 8)).toEqual([
      '2003-07-31 0001009672-03-000010',
      '2003-10-20 0001009672-03-000014',
      '2004-02-04 0001009672-04-000002',
      '2004-04-21 0001009672-04-000008',
      '2004-07-21 0001009672-04-000016',
      '2004-10-28 0001009672-04-000019',
      '2005-02-03 0001009672-05-000009',
      '2005-04-28 0001009672-05-000015',
    ])
  },
)

test.skipIf(lists === null)('every row with the item is found in every real list, and no other', async () => {
  let rows = 0
  for (const name of readdirSync(lists ?? '')) {
    const document = await Bun.file(join(lists ?? '', name)).json()
    const { form, items, accessionNumber, filingDate } = document.filings?.recent ?? document
    const stated: string[] = []
    for (let row = 0; row < form.length; row++) {
      const isResults = /(^|,)2\.02(,|$)/.test(items[row]) || /(^|,)12(,|$)/.test(items[row])
      if ((form[row] === '8-K' || form[row] === '8-K/A') && isResults)
        stated.push(`${accessionNumber[row]} ${filingDate[row]} ${form[row]}`)
    }
    const { announcements } = parseSubmissions(document, name)
    expect(
      announcements.map(({ filing }) => `${filing.accession} ${isoDate(filing.filed)} ${filing.form}`),
    ).toEqual(stated)
    rows += stated.length
  }
  // Counted in the files with another program: 588 with item 2.02 and 5 with item 12.
  expect(rows).toBe(593)
})

const rowsOf = (rows: readonly (readonly [accepted: string, items: string])[]) => ({
  accessionNumber: rows.map((_, row) => `0000000001-20-${String(row).padStart(6, '0')}`),
  filingDate: rows.map(() => '2020-02-03'),
  acceptanceDateTime: rows.map(([accepted]) => accepted),
  form: rows.map(() => '8-K'),
  isXBRL: rows.map(() => 0),
  items: rows.map(([, items]) => items),
})

test('an announcement is kept if its time is illegible, and none is found in a list without items', () => {
  const recent = rowsOf([
    ['2020-02-03T16:05:00.000Z', '2.02'],
    ['', '2.02'],
    ['2020-02-03T16:05:00.000Z', '8.01'],
  ])
  const { filings, announcements } = parseSubmissions({ cik: 1, filings: { recent } }, 'x.json')
  expect(filings).toEqual([])
  expect(
    nonEmpty(announcements)
      .map(({ filing }) => [filing.accession, filing.readings?.length ?? 0])
      .sort(),
  ).toEqual([
    ['0000000001-20-000000', 1],
    ['0000000001-20-000001', 0],
  ])
  const { items: _, ...withoutItems } = recent
  expect(parseSubmissions({ cik: 1, filings: { recent: withoutItems } }, 'x.json').announcements).toEqual([])
})
