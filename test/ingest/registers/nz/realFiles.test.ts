import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { readReturns } from '../../../../src/ingest/registers/nz/returns.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'

const folder = sharedPath('registers/nz')

describe.skipIf(folder === null)('the real files', () => {
  const names = folder === null ? [] : nonEmpty(readdirSync(folder))
  test.each(names)('%s: each row is a return, left out for a reason, or a name', async name => {
    const document = await Bun.file(`${folder}/${name}`).json()
    const rows: Record<string, unknown>[] = document.d
    const { parsed, leftOut, malformed } = readReturns(document)
    const returns = new Set(
      parsed.flatMap(({ reportedFacts }) => reportedFacts.map(({ filing }) => filing.accession)),
    )
    const left = Object.values(leftOut ?? {}).reduce((sum, count) => sum + count, 0)
    // A row of a list of organisations has no amounts.
    const namesOnly = rows.filter(row => typeof row.TotalAssets !== 'number')
    expect(returns.size + left + namesOnly.length).toBe(rows.length)
    expect(malformed).toBe(0)
    expect(new Set(parsed.map(({ profile }) => profile.issuerId))).toEqual(
      new Set(rows.map(row => String(row.CharityRegistrationNumber))),
    )
  })

  test('15 of 17 returns of St John Of God name no currency and are left out', async () => {
    const document = await Bun.file(`${folder}/TestFinancialCharityData.json`).json()
    const { leftOut } = readReturns(document)
    expect(leftOut).toEqual({
      'a return without a currency, of a charity that also names one other than NZD': 15,
    })
  })
})
