import type { BacktestInclude, ResultFormat } from '../request.ts'

/** What the page of a result shows, in the order of the page. */
export const reportSections: readonly BacktestInclude[] = [
  'curves',
  'monthly',
  'positions',
  'ic',
  'quantiles',
]

/** The sections to compute: the caller's and, for a page, all that it shows. Without them the page would have gaps that only a
 * reader of the API could fill. */
export function sectionsFor(
  format: ResultFormat,
  include: readonly BacktestInclude[],
): readonly BacktestInclude[] {
  return format === 'html' ? [...new Set([...reportSections, ...include])] : include
}
