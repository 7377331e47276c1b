import { join } from 'node:path'
import type { Sql } from '../../src/postgres/client.ts'
import { readDataVersion } from '../../src/postgres/dataVersion.ts'
import { randomOf } from '../data/makeEntity.ts'
import type { LoadRequest } from '../httpLoad.ts'
import type { Context } from './context.ts'
import { type DayOfFilings, type FilingCompany, writeDayOfFilings } from './dayOfFilings.ts'
import { type CrossSectionQuery, plainCrossSection } from './plainCrossSection.ts'
import { type PlainFact, readPlainFacts } from './plainFacts.ts'
import { companyPath, recordName } from './reads.ts'
import { sampleEntities } from './sampleEntities.ts'

const companiesFiling = 3_000
/** Companies whose responses are all checked. They also change their names. */
const companiesChecked = 400
const companiesOfPage = 1_000
const otherCompanies = 60_000

export interface PreparedImport {
  readonly day: DayOfFilings
  readonly checked: readonly FilingCompany[]
  /** Their facts before the import. */
  readonly facts: ReadonlyMap<number, readonly PlainFact[]>
  readonly page: ReadonlyMap<string, string>
  readonly version: number
  readonly requests: readonly LoadRequest[]
}

export const pageQuery = (asOf: string): CrossSectionQuery => ({
  metric: 'net_income',
  market: 'US',
  asOf,
  companies: companiesOfPage,
})

/** Prepares a day of filings, the requests during its import, and the expected data before it. */
export async function prepareImport({ today, folder, seed }: Context, sql: Sql): Promise<PreparedImport> {
  const version = await readDataVersion(sql)
  const day = await writeDayOfFilings(sql, {
    folder: join(folder, 'day'),
    today,
    maxCompanies: companiesFiling,
    renamed: companiesChecked,
    day: version,
  })
  const checked = day.companies.filter(({ entityId }) => day.names.has(entityId))
  const facts = await readPlainFacts(
    sql,
    checked.map(({ entityId }) => entityId),
  )
  const page = await plainCrossSection(sql, pageQuery(today))
  const random = randomOf(`import ${seed}`)
  const others = await sampleEntities(sql, otherCompanies, random)
  const requests = others.flatMap(({ ticker }, place) => {
    const company = checked[Math.floor(random() * checked.length)]
    const view = place % 2 === 0 ? 'latest' : 'history'
    return [
      { path: companyPath(ticker, view) },
      // All periods end after `from`, so it does not change the response but keeps it from coming from the cache.
      {
        path: `${companyPath(company.ticker, view)}&from=${dayBefore1990(random)}`,
        recordAs: recordName(company.ticker, view),
      },
    ]
  })
  return { day, checked, facts, page, version, requests }
}

function dayBefore1990(random: () => number): string {
  const two = (number: number) => String(1 + Math.floor(random() * number)).padStart(2, '0')
  return `${1600 + Math.floor(random() * 390)}-${two(12)}-${two(28)}`
}
