import { columns } from '../../../formats/columns.ts'
import { renderList } from '../../../formats/rows.ts'
import { asFile } from '../../../http/fileName.ts'
import { type Strategy, strategyMetric } from '../../../markets/strategies/strategies.ts'
import { termsOf } from '../../companies/licenceTerms.ts'
import { readCoverage } from '../../strategies/coverage.ts'
import { listStrategies } from '../../strategies/list.ts'
import type { StrategyPageDeps } from './read.ts'

const csv = { format: 'csv', comments: true, key: 'csv' } as const

const listSheet = columns({
  name: 'text',
  title: 'text',
  period: 'text',
  unit: 'text',
  sign: 'whole',
  paper: 'text',
  year: 'whole',
  t_value: 'number',
  return_pct: 'number',
  inputs: 'text',
  markets: 'text',
})

/** All strategies as CSV. */
export async function strategiesDownload({ markets }: Pick<StrategyPageDeps, 'markets'>) {
  const data = listStrategies(markets).data.map(({ paper, published, ...row }) => ({
    ...row,
    paper: `${paper.authors}: ${paper.title}`,
    year: paper.year,
    t_value: published?.t_value ?? null,
    return_pct: published?.return_pct ?? null,
  }))
  const { content, headers } = await renderList(
    csv,
    listSheet,
    { data, attribution: [] },
    termsOf(markets, []),
  )
  return { content, headers: { ...headers, ...asFile('csv', 'strategies') } }
}

const coverageSheet = columns({
  market: 'text',
  year: 'whole',
  companies: 'whole',
  values: 'whole',
  hidden_4: 'number',
  hidden_days_4: 'number',
  look_ahead_4: 'number',
  look_ahead_days_4: 'number',
  hidden_6: 'number',
  hidden_days_6: 'number',
  look_ahead_6: 'number',
  look_ahead_days_6: 'number',
})

/** The coverage of a strategy as CSV: a row for each market and year. */
export async function coverageDownload(deps: StrategyPageDeps, strategy: Strategy) {
  const { coverage } = await deps.readLimiter.run('pages', () => readCoverage(deps, strategy))
  const data = coverage.map(({ market, year, companies, values, lags }) => ({
    market,
    year,
    companies,
    values,
    ...Object.fromEntries(
      lags.flatMap(({ months, ...lag }) =>
        Object.entries(lag).map(([name, value]) => [`${name}_${months}`, value]),
      ),
    ),
  }))
  const { markets } = strategyMetric(deps.markets.metrics, strategy)
  const attribution = markets.flatMap(code => deps.markets.get(code)?.attribution ?? [])
  const list = { data, attribution }
  const { content, headers } = await renderList(csv, coverageSheet, list, termsOf(deps.markets, markets))
  return { content, headers: { ...headers, ...asFile('csv', strategy.name, 'coverage') } }
}
