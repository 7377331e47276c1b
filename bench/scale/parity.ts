import { randomOf } from '../data/makeEntity.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { fetchOk } from './fetchOk.ts'
import { plainCrossSection, type ServedCompany, servedCompany } from './plainCrossSection.ts'
import { plainHistory, plainLatest, plainText, readPlainFacts, servedText } from './plainFacts.ts'
import { companyPath } from './reads.ts'
import { reportingCompanies, type SampledEntity, sampleEntities } from './sampleEntities.ts'

const sampledCompanies = 32
const companiesOfMarket = 200

/** Compares the service with plain queries of the tables: for random companies, the first and last company of each market,
 * and a page of each cross-section. Also searches each ID. Throws if something differs. */
export async function parity(context: Context): Promise<ScaleFigure[]> {
  const { today } = context
  await context.server()
  await context.withSql(async sql => {
    const edges = await sql<SampledEntity[]>`
      select entity_id as "entityId", ticker, market, name from entity
      where entity_id in (
        select unnest(array[min(e.entity_id), max(e.entity_id)]) from entity e
        where not ${reportingCompanies(sql)} group by e.market)`
    const sampled = await sampleEntities(sql, sampledCompanies, randomOf(`parity ${context.seed}`))
    const entities = [...edges, ...sampled]
    const ids = entities.map(({ entityId }) => entityId)
    const facts = await readPlainFacts(sql, ids)
    let rows = 0
    for (const { entityId, ticker } of entities) {
      const own = facts.get(entityId) ?? []
      rows += own.length
      for (const [view, wanted] of [
        ['latest', plainLatest(own, today)],
        ['history', plainHistory(own, today)],
      ] as const) {
        const { data } = JSON.parse((await fetchOk(context, companyPath(ticker, view))).text)
        if (servedText(data) !== plainText(wanted))
          throw new Error(`${view} of ${ticker} is not what was filed`)
      }
      const { results } = JSON.parse(
        (await fetchOk(context, `/api/search?q=${encodeURIComponent(ticker)}`)).text,
      )
      if (results[0]?.ticker !== ticker) throw new Error(`a search for ${ticker} finds another company first`)
    }
    const markets = [...new Set(edges.map(({ market }) => market))]
    for (const market of markets) {
      const query = { metric: 'net_income', market, asOf: today, companies: companiesOfMarket }
      const wanted = await plainCrossSection(sql, query)
      const path = `/api/v1/cross-section?metric=net_income&market=${market}&limit=${companiesOfMarket}`
      const data: ServedCompany[] = JSON.parse((await fetchOk(context, path)).text).data
      const served = new Map(data.map(company => [company.ticker, servedCompany(company)]))
      if (JSON.stringify([...served]) !== JSON.stringify([...wanted]))
        throw new Error(`the cross-section of ${market} is not what was filed`)
    }
    context.log(
      `parity: ${entities.length} companies (${rows.toLocaleString('en')} facts), ${markets.length} cross-sections and ${entities.length} searches equal the plain queries`,
    )
  })
  return []
}
