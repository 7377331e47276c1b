import { html, type Markup } from '../../html.ts'
import type { Markets } from '../../markets/markets.ts'
import type { CrossSectionPlan } from '../crossSection/crossSection.ts'
import { maxSorted } from '../crossSection/ranking.ts'
import type { CrossSectionTable } from '../crossSection/schema.ts'
import type { MarketQuery } from '../marketPages/query.ts'
import { exactFigure } from './figures.ts'
import { metricLabel } from './metricLabels.ts'

type ListPlan = Pick<
  MarketQuery,
  'metric' | 'market' | 'after' | 'firstVersion' | 'recentFiscalYearOnly' | 'seen' | 'left'
>

interface Answer {
  readonly data_version: number
  readonly count: number
  readonly next: string | null
}

/**
 * Tells readers what a list of companies omits. The API's note tells programs the same, with names of
 * parameters.
 *
 * @param nothing the sentence to use if no company matches
 */
export function listNotes(
  markets: Pick<Markets, 'get' | 'metrics'>,
  plan: ListPlan,
  answer: Answer,
  nothing: string,
): Markup[] {
  return [
    answer.count === 0 && html`${whyEmpty(markets, plan, answer, nothing)}`,
    plan.recentFiscalYearOnly &&
      html`Without a licence you see only the most recent fiscal year that each company has reported. A \
<a href="/docs/guides/keys-and-limits#licences">licence</a> opens every year and every day of the past.`,
    plan.seen !== null && html`${onlySeen(plan.left)}`,
    plan.firstVersion !== null &&
      answer.data_version !== plan.firstVersion &&
      html`New filings were imported after you opened the first page of this list, so this page may include companies and figures that \
earlier pages lack.`,
  ].filter(note => note !== false)
}

function whyEmpty(
  { get, metrics }: Pick<Markets, 'get' | 'metrics'>,
  { market, metric, after, seen }: ListPlan,
  { next }: Answer,
  nothing: string,
): string {
  const manifest = get(market)
  if (manifest?.status === 'announced') return `Figures of ${manifest.name} are not available yet.`
  if (next !== null) return 'None of these companies fits. The next ones may.'
  if (seen !== null) return 'None of the companies that you have already seen fits.'
  if (after !== null) return 'No more companies fit.'
  if (metrics.get(metric)?.markets.includes(market) !== true)
    return `The register of ${manifest?.name ?? market} does not report ${metricLabel(metric).toLowerCase()}.`
  const absence = manifest?.absences[metric]
  return absence === undefined ? nothing : `${nothing} ${absence}`
}

const onlySeen = (left: number | null): string =>
  left === 0
    ? 'You have used all companies of your licence, so this list has only companies that you have already seen.'
    : `This list has only companies that you have already seen, because a whole page could exceed the ${exactFigure(left ?? 0)} that your licence has left.`

/**
 * How the companies of a screen are compared, and which companies are excluded from the comparison. Links to
 * other currencies follow the table.
 */
export function comparisonNotes(
  { sort, inCurrency, left }: Pick<CrossSectionPlan, 'sort' | 'inCurrency' | 'left'>,
  { unranked = 0, other_currencies: others = [] }: CrossSectionTable,
  isWhole: boolean,
): Markup[] {
  const hasOthers = left !== null || others.length > 0
  return [
    sort !== null &&
      unranked > 0 &&
      html`${exactFigure(unranked)} ${unranked === 1 ? 'company has' : 'companies have'} no ${metricLabel(sort.metric).toLowerCase()} and \
${unranked === 1 ? 'is' : 'are'} left out.`,
    inCurrency !== null &&
      hasOthers &&
      html`Amounts are compared in ${inCurrency.code}. Companies that report in another currency are left out.`,
    !isWhole &&
      html`This market has too many companies to sort them all, so only the first ${exactFigure(maxSorted)} are ranked. Add a filter to \
rank every company that fits it.`,
  ].filter(note => note !== false)
}

/** The notes in one box, or nothing if there are none. */
export const noticeOf = (notes: readonly Markup[]): Markup | false =>
  notes.length > 0 &&
  html`<p class="notice">${notes.map((note, index) => html`${index > 0 && ' '}${note}`)}</p>`
