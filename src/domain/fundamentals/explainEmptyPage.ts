import type { FundamentalsDeps } from './deps.ts'
import type { MarketQuestion } from './readMarketQuestion.ts'

interface Nothing {
  /** Where companies follow: what no company on the page has. */
  readonly onPage: string
  /** Where none follows those of the pages before. */
  readonly afterCursor: string
  /** On a page that is the only one: what no company of the market has. */
  readonly atAll: string
}

/** Why a page of a market has no rows. */
export function explainEmptyPage(
  { markets }: Pick<FundamentalsDeps, 'markets'>,
  { market, metric, after }: MarketQuestion,
  hasMore: boolean,
  nothing: Nothing,
): string {
  const manifest = markets.get(market)
  if (manifest?.status === 'announced') {
    return `No figures of market ${market} are served yet: it is announced, and its importer does not ship.`
  }
  if (hasMore) return `${nothing.onPage}; \`next\` continues.`
  if (after !== null) return nothing.afterCursor
  if (markets.metrics.get(metric)?.markets.includes(market) !== true) {
    return `The register of market ${market} does not state ${metric}. GET /api/v1/fundamentals lists which markets state it.`
  }
  const reason = manifest?.absences[metric]
  return reason === undefined ? nothing.atAll : `${nothing.atAll} ${reason}`
}
