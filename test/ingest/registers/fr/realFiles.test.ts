import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { isoDate } from '../../../../src/dates.ts'
import { frRegister } from '../../../../src/ingest/registers/fr/register.ts'
import { sharedPath } from '../../../shared.ts'

const folder = sharedPath('registers/fr')

describe.skipIf(folder === null)('every record of every real file is read or left out for a reason', () => {
  const noDay = 'a row of figures without a deposit date'
  const noName = 'a legal unit without a company name'
  const notSpread = 'a legal unit whose name may not be published'
  const establishment = 'an establishment: names are those of the legal unit'
  // The number of records in each file, counted by hand or by the file itself (`nhits` rows, lines).
  const expected: Record<string, [number, Record<string, number>]> = {
    'inpi_bilan_saisi_official_example.json': [1, {}],
    'inpi_xml_bundles/comptes/PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml': [1, {}],
    'ratios_inpi_bce_export_1row.csv': [0, { [noDay]: 1 }],
    'ratios_ods/487444697.json': [0, { [noDay]: 4 }],
    'ratios_ods/552032534.json': [0, { [noDay]: 10 }],
    'ratios_ods/banque-de-france-bilans.json': [0, { [noDay]: 3 }],
    'ratios_ods/donnees-financieres.json': [0, { [noDay]: 10 }],
    'ratios_ods/donnees-financieres-confidential.json': [0, { [noDay]: 4 }],
    'sirene/StockUniteLegale_2rows_35cols.csv': [2, {}],
    'sirene/sireneHistoTestData.csv': [0, { [establishment]: 4 }],
    'sirene/sireneTestData.csv': [0, { [establishment]: 5 }],
    'sirene/sireneULTestData.csv': [0, { [notSpread]: 4 }],
    'sirene/test_uniteLegale.csv': [0, { [noName]: 6 }],
  }

  test('every file is in the list', () => {
    const files = [...new Glob('**/*').scanSync(folder ?? '')].filter(name =>
      frRegister.documentNames.test(name),
    )
    expect(files.sort()).toEqual(Object.keys(expected).sort())
  })

  for (const [name, counts] of Object.entries(expected)) {
    test(name, async () => {
      const bytes = await Bun.file(`${folder}/${name}`).bytes()
      const content = frRegister.readDocument({ name, bytes })
      const leftOut = Object.fromEntries(
        Object.entries(content.leftOut ?? {}).filter(([, count]) => count > 0),
      )
      expect([content.parsed.length, leftOut]).toEqual(counts)
      expect(content.malformed).toBe(0)
    })
  }

  // Deposit 1048 of 2017-02-18 at the court 1303: FJ, HN and CO of 2015 and FJ of 2014.
  test('the accounts of 483935326 have the figures of the deposit', async () => {
    const name = 'inpi_xml_bundles/comptes/PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml'
    const { parsed } = frRegister.readDocument({ name, bytes: await Bun.file(`${folder}/${name}`).bytes() })
    const value = (metric: string, end: string) =>
      parsed[0].reportedFacts.find(one => one.metric === metric && isoDate(one.end) === end)?.value
    expect(value('revenue', '2015-12-31')).toBe(4_549_159)
    expect(value('revenue', '2014-12-31')).toBe(4_500_553)
    expect(value('net_income', '2015-12-31')).toBe(648_828)
    expect(value('assets', '2015-12-31')).toBe(4_102_554)
  })
})
