import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { dayNumber } from '../../../../src/dates.ts'
import { beRegister } from '../../../../src/ingest/registers/be/register.ts'
import { sharedPath } from '../../../shared.ts'

const folder = sharedPath('registers/be')

describe.skipIf(folder === null)('every record of every real file is read or left out for a reason', () => {
  const noNumber = 'an XBRL instance without a reference number in its file name'
  const notAName = 'a row about an enterprise without its name'
  // The number of records in each file: documents, or lines below the header as a table reader counts them.
  const expected: Record<string, [number, Record<string, number>]> = {
    'belgian-npo_0410682657_FY2016.xbrl': [1, { [noNumber]: 1 }],
    'nbb-cbso_m87-micro-example.xbrl': [1, { [noNumber]: 1 }],
    'nbb_references_live_item.json': [
      0,
      { 'a reference without an enterprise number in it or in its file name': 1 },
    ],
    'gehuybre/account_codes.csv': [0, { 'a row of a list of codes': 67 }],
    'gehuybre/activities.csv': [0, { [notAName]: 4113 }],
    'gehuybre/addresses.csv': [0, { [notAName]: 1307 }],
    'gehuybre/annual_accounts_sample.csv': [0, { 'a row of accounts without a deposit date': 11 }],
    'gehuybre/firm_change.csv': [0, { [notAName]: 8136 }],
    'gehuybre/firms.csv': [1356, {}],
  }

  test('every file is in the list', () => {
    const files = [...new Glob('**/*').scanSync(folder ?? '')].filter(name =>
      beRegister.documentNames.test(name),
    )
    expect(files.sort()).toEqual(Object.keys(expected).sort())
  })

  for (const [name, counts] of Object.entries(expected)) {
    test(name, async () => {
      const bytes = await Bun.file(`${folder}/${name}`).bytes()
      const content = beRegister.readDocument({ name, bytes })
      expect([content.parsed.length, content.leftOut ?? {}]).toEqual(counts)
      expect(content.malformed).toBe(0)
    })
  }

  test('XBRL accounts without a reference name their enterprise, without a figure', async () => {
    const name = 'belgian-npo_0410682657_FY2016.xbrl'
    const bytes = await Bun.file(`${folder}/${name}`).bytes()
    const { parsed } = beRegister.readDocument({ name, bytes })
    expect(parsed).toEqual([
      {
        profile: {
          market: 'BE',
          issuerId: '0410682657',
          name: 'Xerius Sociaal Verzekeringsfonds',
          nameIsFallback: true,
          tickers: ['0410682657.BE'],
          registers: true,
        },
        reportedFacts: [],
        filings: [],
      },
    ])
  })

  test('the live reference gives its filing once the file name contains the enterprise number', async () => {
    const bytes = await Bun.file(`${folder}/nbb_references_live_item.json`).bytes()
    const { parsed } = beRegister.readDocument({ name: 'references/0400008697.json', bytes })
    expect(parsed.map(({ filings }) => filings)).toEqual([
      [{ accession: 'BE:2024-00290653', form: 'm02-f', filed: dayNumber('2024-07-26'), acceptedAt: null }],
    ])
  })
})
