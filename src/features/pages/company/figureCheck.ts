import type { Markup } from '../../../html.ts'
import { checkedFigures, checkedParagraph } from '../checkedFigures.ts'
import { currentOf } from '../grid.ts'
import { type CompanyPageQuery, figureOf } from './query.ts'
import type { CompanyView } from './read.ts'
import type { Tables } from './statementTables.ts'

/**
 * What was checked of the chosen figure, if a standard line has the same value: a metric may be defined otherwise than the
 * line of its name.
 */
export function checkOf(
  { standard }: Pick<CompanyView, 'standard'>,
  { shown }: Pick<Tables, 'shown'>,
  { cell = '', ...day }: CompanyPageQuery,
): Markup | null {
  if (standard === null) return null
  const { metric, fy, fp } = figureOf(cell)
  const current = currentOf(shown.vintages(metric, cell.slice(metric.length + 1)))
  const found = checkedFigures(standard).find(
    ({ line, column: { period }, cell: { number, unit } }) =>
      line.name === metric &&
      period.fy === fy &&
      (period.fp === fp || (period.quarters === 0 && period.fp === 'FY' && fp === 'Q4')) &&
      (period.quarters === 0 || period.quarters === (fp === 'FY' ? 4 : 1)) &&
      number === current?.v &&
      unit === current.u,
  )
  return found === undefined ? null : checkedParagraph(found, day)
}
