import { balanceLines } from './balanceLines.ts'
import { cashFlowLines } from './cashFlowLines.ts'
import type { CompanyKind, StandardLine, StandardStatement } from './definition.ts'
import { incomeLines } from './incomeLines.ts'
import { withRegisterLines } from './registerLines.ts'

/** Every standard line, in the order in which its statement shows it. */
export const standardLines: readonly StandardLine[] = withRegisterLines([
  ...incomeLines,
  ...balanceLines,
  ...cashFlowLines,
])

/** The lines that a statement of such a company may have. */
export const linesFor = (statement: StandardStatement, kind: CompanyKind): readonly StandardLine[] =>
  byStatement[statement].filter(({ kinds }) => kinds.includes(kind))

const byStatement = {
  income: withRegisterLines(incomeLines),
  balance: withRegisterLines(balanceLines),
  cash_flow: withRegisterLines(cashFlowLines),
}

/** Lines that collect what has no name, such as other assets. Two names with `other` mean something. */
export const isCatchAll = ({ name }: Pick<StandardLine, 'name'>): boolean =>
  /^(other_(?!short_term_borrowings|comprehensive_income)|change_in_other)/.test(name)

/**
 * Whether a definition of the statement says what the tag means, so that a label cannot say otherwise; a label that the
 * definition rejects can.
 */
export const isKnownTag = (statement: StandardStatement, name: string, words: string): boolean =>
  byStatement[statement].some(
    ({ tags, alike, unlike }) =>
      unlike?.test(words) !== true &&
      (tags.some(names => names.includes(name)) || alike?.test(name) === true),
  )
