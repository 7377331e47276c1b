import { buildEvents } from '../../../src/backtest/asOf/figureEvents.ts'
import type { Failure } from '../../../src/errors.ts'
import { findListed, readVintages } from '../../../src/features/asOfJoins/queries.ts'
import { presenceIn } from '../../../src/features/catalogue/queries.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { readProfile } from '../../../src/features/companyProfile/profile.ts'
import { checkCoverage } from '../../../src/features/coverage/check.ts'
import { coverageIndex } from '../../../src/features/coverage/index.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import { readCrossSectionTable } from '../../../src/features/crossSection/table.ts'
import { planFilings, readFilings } from '../../../src/features/filings/filings.ts'
import { planCompanies, planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { streamCompanies } from '../../../src/features/fundamentals/stream.ts'
import { planRestatements, readRestatements } from '../../../src/features/restatements/restatements.ts'
import { planSignals } from '../../../src/features/signals/plan.ts'
import { openSignals } from '../../../src/features/signals/stream.ts'
import { planUniverse, readUniverse } from '../../../src/features/universe/universe.ts'
import { parseAsOf } from '../../../src/markets/asOf.ts'
import { rightsOf, viewerOf } from '../companies/fixtures.ts'

const me = rightsOf('personal')
const quant = rightsOf('personal', { quant: true })
const fields = 'accession,form,tag,start,accepted_at,inputs,statement,line,label'

/** What every reader responds as of a day, by the name of the request. A refusal is a response, too. */
export async function answersOf(
  deps: CompanyDeps,
  tickers: readonly string[],
  as_of: string,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  const ask = async (name: string, question: () => Promise<unknown>) => {
    const answer = await question().catch((error: Failure) => `${error.code}: ${error.message}`)
    answers[`${name} ${as_of}`] = JSON.stringify(answer) ?? 'nothing'
  }
  const company = async (query: FundamentalsQuery) =>
    readCompany({ ...deps, sql: deps.lookups }, await planCompany(deps, me, query))
  for (const ticker of tickers) {
    for (const vintage of ['first', 'latest', 'all'] as const)
      await ask(`${vintage} of ${ticker}`, () => company({ ticker, vintage, as_of, fields }))
    await ask(`latest rows of ${ticker}`, () => company({ ticker, view: 'latest', as_of }))
    await ask(`trailing of ${ticker}`, () => company({ ticker, fp: 'TTM', as_of }))
    await ask(`splits of ${ticker}`, () => company({ ticker, adjust: 'splits', as_of }))
    await ask(`one year of ${ticker}`, () => company({ ticker, metric: 'revenue,roe', fy: '2019', as_of }))
    await ask(`profile of ${ticker}`, () => readProfile(deps, ticker, parseAsOf({ as_of })))
    await ask(`check of ${ticker}`, () => checkCoverage(deps, ticker))
    await ask(`filings of ${ticker}`, async () =>
      readFilings(deps, await planFilings(deps, me, { ticker, as_of })),
    )
  }
  await ask('batch', async () => {
    const query = { ticker: tickers.join(','), as_of }
    return new Response(
      (await streamCompanies(deps, me, query, await planCompanies(deps, me, query))).body,
    ).text()
  })
  for (const market of ['US', 'JP']) {
    await ask(`filings of ${market}`, async () =>
      readFilings(deps, await planFilings(deps, me, { market, as_of, limit: 5 })),
    )
    await ask(`universe of ${market}`, () => readUniverse(deps, planUniverse(deps, me, { market, as_of })))
    for (const fp of ['FY', 'Q1', 'TTM', 'latest'] as const) {
      for (const metric of ['revenue', 'roe'])
        await ask(`${metric} ${fp} of ${market}`, () =>
          readCrossSection(deps, me, planCrossSection(deps, viewerOf(me), { metric, market, fp, as_of })),
        )
      await ask(`table ${fp} of ${market}`, () =>
        readCrossSectionTable(
          deps,
          me,
          planCrossSection(deps, viewerOf(me), { metric: 'revenue,assets,net_margin', market, fp, as_of }),
        ),
      )
    }
    await ask(`groups of ${market}`, () => {
      const query = { metric: 'revenue', market, as_of, group: 'ff49', universe: 'reporting' }
      return readCrossSection(deps, me, planCrossSection(deps, viewerOf(me), query))
    })
    for (const metric of ['revenue', 'net_margin'])
      await ask(`restatements of ${metric} in ${market}`, () =>
        readRestatements(deps, me, planRestatements(deps, viewerOf(me), { metric, market, as_of })),
      )
    await ask(`presence in ${market}`, async () => {
      const { companies, ...rest } = await presenceIn(deps.sql, market, as_of)
      return [[...companies].sort(), rest]
    })
    await ask(`assets of ${market}`, () => findListed(deps.sql, tickers.join('\n'), market))
  }
  // What as-of joins and backtests by a figure read.
  for (const fp of ['FY', 'TTM', 'latest'] as const)
    await ask(`events of revenue ${fp}`, async () => {
      const rows = await readVintages(deps.sql, { metric: 'revenue', fp, firstEntity: 0 })
      const { days, values, ends, filed, units } = buildEvents({ firstEntity: 0, rows })
      return [days, values, ends, filed, units].map(column => [...column])
    })
  await ask('index', async () => {
    const { markets, tickers: page } = await coverageIndex(deps, {})
    return [markets, page]
  })
  await ask('signals', async () => {
    const plan = planSignals(deps, quant, { to: as_of })
    return new Response((await openSignals(deps, plan, 'ndjson')).body).text()
  })
  return answers
}
