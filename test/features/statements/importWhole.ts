import { dayNumber } from '../../../src/dates.ts'
import type { Filing } from '../../../src/facts/reportedFact.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import type { ReadUnit } from '../../../src/ingest/reading/progress.ts'
import { readFilingPackage } from '../../../src/ingest/registers/us/filingPackage.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import type { WholeSource } from '../../../src/wholeFilings/statedFiling.ts'
import type { WholeFiling } from '../../../src/wholeFilings/wholeFiling.ts'
import { filingsOf, readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'

/** A filing as a test imports it. */
export interface GivenFiling {
  readonly issuerId: string
  readonly ticker: string
  readonly form: string
  readonly filed: string
  readonly acceptedAt?: string | null
  readonly periodEnd: string | null
  readonly source: WholeSource
  readonly whole: WholeFiling
}

/** Imports filings through the only way into the tables. */
export async function importWhole(sql: Sql, given: readonly GivenFiling[]): Promise<void> {
  const units = given.map(
    ({ issuerId, ticker, form, filed, acceptedAt = null, periodEnd, source, whole }): ReadUnit => {
      const filing: Filing = {
        accession: whole.accession,
        form,
        filed: dayNumber(filed),
        acceptedAt: acceptedAt === null ? null : Date.parse(acceptedAt),
      }
      const profile = { market: 'US', issuerId, name: `${ticker} Inc.`, tickers: [ticker], registers: true }
      // Only a company with figures is put on record.
      const cover = {
        metric: 'shares_outstanding',
        tag: 'dei:EntityCommonStockSharesOutstanding',
        unit: 'shares',
        start: null,
        end: dayNumber(periodEnd ?? filed),
        value: 1,
        rounded: false,
        filing,
      }
      return {
        parsed: [{ profile, reportedFacts: [cover], filings: [filing] }],
        wholeFilings: [
          {
            market: 'US',
            issuerId,
            whole,
            source,
            periodEnd: periodEnd === null ? null : dayNumber(periodEnd),
          },
        ],
      }
    },
  )
  await importFacts(sql, units, { source: 'us', rules: usRegister.rules })
}

const packages = [
  // The days on which EDGAR shows that they were filed.
  [
    '0000320193-25-000057-xbrl.zip',
    '0000320193-25-000057',
    '0000320193',
    'AAPL',
    '10-Q',
    '2025-05-02',
    '2025-03-29',
  ],
  ['msft-10k_2015.zip', '0001193125-15-272806', '0000789019', 'MSFT', '10-K', '2015-07-31', '2015-06-30'],
  ['nflx-10k_2010.zip', '0001193125-10-036181', '0001065280', 'NFLX', '10-K', '2010-02-22', '2009-12-31'],
  ['nflx-10k_2024.zip', '0001065280-24-000030', '0001065280', 'NFLX', '10-K', '2024-01-26', '2023-12-31'],
] as const

/** The real packages, or null where they are not on this machine. */
export async function realPackages(): Promise<readonly GivenFiling[] | null> {
  const read = await Promise.all(
    packages.map(async ([name, accession, issuerId, ticker, form, filed, periodEnd]) => {
      const files = await readZipFiles(`filings/${name}`)
      if (files === null) return null
      const { filing: whole } = readFilingPackage(accession, files)
      return { issuerId, ticker, form, filed, periodEnd, source: 'documents' as const, whole }
    }),
  )
  const found = read.filter(each => each !== null)
  return found.length === packages.length ? found : null
}

/** The filings of a real data set, or null where it is not on this machine. */
export async function realDataSet(path: string): Promise<readonly GivenFiling[] | null> {
  const files = await readZipFiles(`fsds/${path}`)
  if (files === null) return null
  const submissions = new Map(recordsOf(files, 'sub.txt').map(record => [record.adsh, record]))
  const day = (compact: string) => compact.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  return nonEmpty(filingsOf(files)).flatMap(whole => {
    const sub = submissions.get(whole.accession)
    if (sub === undefined) return []
    const issuerId = sub.cik.padStart(10, '0')
    const periodEnd = sub.period === '' ? null : day(sub.period)
    const { form, filed } = sub
    return [
      {
        issuerId,
        ticker: `T${sub.cik}`,
        form,
        filed: day(filed),
        periodEnd,
        source: 'dataSet' as const,
        whole,
      },
    ]
  })
}
