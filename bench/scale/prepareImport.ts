import { join } from 'node:path'
import type { Sql } from '../../src/postgres/client.ts'
import { readDataVersion } from '../../src/postgres/snapshot.ts'
import { randomOf } from '../data/makeEntity.ts'
import type { LoadRequest } from '../httpLoad.ts'
import type { Context } from './Context.ts'
import { type DayOfFilings, type FilingCompany, makeDayOfFilings } from './dayOfFilings.ts'
import { drawEntities } from './draw.ts'
import { recordName } from './judgeAnswers.ts'
import { type CrossSectionQuestion, plainCrossSection } from './plainCrossSection.ts'
import { type PlainFact, readPlainFacts } from './plainFacts.ts'
import { companyPath } from './reads.ts'

const companiesFiling = 3_000
/** Companies of which every answer is judged; they change their names, too. */
const companiesJudged = 400
const companiesOfPage = 1_000
const otherCompanies = 60_000

export interface PreparedImport {
  readonly day: DayOfFilings
  readonly judged: readonly FilingCompany[]
  /** What the tables hold of those before. */
  readonly facts: ReadonlyMap<number, readonly PlainFact[]>
  readonly page: ReadonlyMap<string, string>
  readonly version: number
  readonly requests: readonly LoadRequest[]
}

export const pageQuestion = (asOf: string): CrossSectionQuestion => ({
  ...{ metric: 'net_income', market: 'US', asOf, companies: companiesOfPage },
})

/** A day of filings, what will be asked meanwhile, and what is true before it. */
export async function prepareImport({ today, folder, seed }: Context, sql: Sql): Promise<PreparedImport> {
  const version = await readDataVersion(sql)
  const day = await makeDayOfFilings(sql, {
    ...{ folder: join(folder, 'day'), today, most: companiesFiling, renamed: companiesJudged },
    day: version,
  })
  const judged = day.companies.filter(({ entityId }) => day.names.has(entityId))
  const facts = await readPlainFacts(
    sql,
    judged.map(({ entityId }) => entityId),
  )
  const page = await plainCrossSection(sql, pageQuestion(today))
  const random = randomOf(`import ${seed}`)
  const others = await drawEntities(sql, otherCompanies, random)
  const requests = others.flatMap(({ ticker }, place) => {
    const company = judged[Math.floor(random() * judged.length)]
    const view = place % 2 === 0 ? 'latest' : 'history'
    return [
      { path: companyPath(ticker, view) },
      // No period ends before these days: what is shown is the same, and it was not asked for before.
      {
        path: `${companyPath(company.ticker, view)}&from=${dayBefore1990(random)}`,
        recordAs: recordName(company.ticker, view),
      },
    ]
  })
  return { day, judged, facts, page, version, requests }
}

function dayBefore1990(random: () => number): string {
  const two = (number: number) => String(1 + Math.floor(random() * number)).padStart(2, '0')
  return `${1600 + Math.floor(random() * 390)}-${two(12)}-${two(28)}`
}
