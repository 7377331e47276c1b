import { type Static, Type } from '@sinclair/typebox'

/** The states of an audited cell, in order of precedence: a cell has the first one that applies. */
export const auditStates = [
  'known',
  'rounded',
  'announced',
  'stale',
  'restated',
  'early',
  'other_company',
  'no_match',
  'not_covered',
] as const
export type AuditState = (typeof auditStates)[number]

export const stateMeanings: Readonly<Record<AuditState, string>> = {
  known: 'It equals the figure that was known.',
  rounded: 'It equals the figure that was known, rounded as the column is rounded.',
  announced:
    'It was filed later, but an earnings release (Form 8-K, Item 2.02) had made the period public by then.',
  stale: 'It equals an older vintage or an older period: it was known, but it was no longer the latest.',
  restated: 'It equals a later restatement of a period that was already known.',
  early: 'It was first filed later.',
  other_company:
    'It is a figure of a predecessor, a successor, or another company that has had the same symbol.',
  no_match: 'The company has figures, but none of them equals it.',
  not_covered:
    'The company is unknown here, or had filed no figure of this kind from which to judge. This includes periods that are first on record as comparative figures of a later report: their own reports are not on record.',
}

/** The code of a cell without a value. */
export const emptyCell = 0
/** The codes of the states, in their order from 1. */
export const stateCode = Object.fromEntries(
  auditStates.map((state, index) => [state, index + 1]),
) as Readonly<Record<AuditState, number>>

/** What makes a cell match nothing: it would match if it were read in another way. */
export const auditReasons = ['period', 'sign', 'scale', 'split', 'currency'] as const
export type AuditReason = (typeof auditReasons)[number]

export const AuditStateSchema = Type.Union(auditStates.map(state => Type.Literal(state)))
export const AuditReasonSchema = Type.Union(
  auditReasons.map(reason => Type.Literal(reason)),
  {
    description:
      'For no_match: the cell equals a figure of the company read in another way. period: of another kind of period, such as trailing twelve months in a column of fiscal years; sign: with the opposite sign; scale: in thousands, millions or the like; split: before or after a split, also of a cell in state restated; currency: the company reports in another currency.',
  },
)

const counts = Type.Integer({ minimum: 0 })

/** How many cells are in each state. */
export const StateCounts = Type.Object(
  {
    ...(Object.fromEntries(
      auditStates.map(state => [state, { ...counts, description: stateMeanings[state] }]),
    ) as Record<AuditState, typeof counts>),
    empty: { ...counts, description: 'Cells without a value.' },
  },
  { additionalProperties: false, $id: 'AuditStateCounts' },
)
export type StateCounts = Static<typeof StateCounts>
