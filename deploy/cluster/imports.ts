import { dayNumber } from '../../src/dates.ts'
import type { MetricRules } from '../../src/facts/metricRules.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { importFacts } from '../../src/ingest/import/importFacts.ts'
import type { Sql } from '../../src/postgres/client.ts'

const rules: MetricRules = {
  rule: metric => ({ kind: metric === 'assets' || metric === 'equity' ? 'instant' : 'flow', additive: true }),
  rank: () => 0,
  group: () => 0,
  annualForm: /^10-K/,
  quarterlyForm: /^10-Q/,
}

export const importedCompanies = 40
export const importedTicker = (number: number) => `LOAD${number}`

export interface ImportedBatch {
  readonly version: number
  readonly company: number
  readonly filed: string
}

/** Imports a random filing of a random company: a few years of figures, some of them restated. It is committed
 * when this returns. */
export async function importRandomFiling(sql: Sql, number: number, serial: number): Promise<ImportedBatch> {
  const below = (bound: number) => Math.floor(Math.random() * bound)
  const year = 2009 + below(15)
  const filed = dayNumber(`${year + 1}-0${1 + below(6)}-1${below(9)}`)
  const filing: Filing = {
    accession: `load-${number}-${serial}`,
    ...{ form: '10-K', filed, acceptedAt: null },
    companyName: `Load Company ${number} ${below(3)}`,
  }
  const reportedFacts: ReportedFact[] = []
  for (const back of [0, 1, 2])
    for (const metric of ['revenue', 'net_income', 'assets', 'equity'])
      reportedFacts.push({
        ...{ metric, tag: metric, unit: 'USD', rounded: false, filing },
        start: metric === 'revenue' || metric === 'net_income' ? dayNumber(`${year - back}-01-01`) : null,
        end: dayNumber(`${year - back}-12-31`),
        value: 1_000 + below(1_000_000),
      })
  const profile = {
    market: 'US',
    issuerId: `99${String(number).padStart(8, '0')}`,
    tickers: [importedTicker(number)],
    fiscalYearEnd: '1231',
    registers: true,
  }
  const { dataVersion } = await importFacts(sql, [{ parsed: [{ profile, reportedFacts, filings: [] }] }], {
    ...{ source: 'load', rules },
    // Another filing follows at once.
    isPart: true,
  })
  return { version: dataVersion, company: number, filed: filing.accession }
}
