import type { Breakdown } from '../../statements/segmentsSchema.ts'

/** The same members of one axis, with a breakdown per period, the latest first. */
export type BreakdownTable = readonly [Breakdown, ...Breakdown[]]

/**
 * How the members of a table may be drawn. Only disjoint members may be stacked, and a filing does not say whether its
 * members are. Members that add up to the stated total are, and so is one member alone.
 *
 * - shares: they add up to the total of every period, and none is negative
 * - signed: they add up, and some are negative
 * - rest: one member, which is less than the total
 * - apart: anything else, with the reason
 */
export type Division =
  | { readonly kind: 'shares' | 'signed'; readonly isRounded: boolean }
  | { readonly kind: 'rest' }
  | { readonly kind: 'apart'; readonly why: ApartReason }

export type ApartReason =
  | { readonly kind: 'noTotal'; readonly period: Breakdown }
  | { readonly kind: 'differs'; readonly period: Breakdown }

/** Members that are part of another one would count twice. */
export const disjointMembers = ({ members }: Pick<Breakdown, 'members'>) =>
  members.filter(({ part_of }) => part_of === null)

export function divisionOf(table: BreakdownTable): Division {
  const noTotal = table.find(({ total }) => total === null)
  if (noTotal !== undefined) return { kind: 'apart', why: { kind: 'noTotal', period: noTotal } }
  const differing = table.find(each => !addsUp(each))
  if (differing !== undefined)
    return table.every(isOneOfMore)
      ? { kind: 'rest' }
      : { kind: 'apart', why: { kind: 'differs', period: differing } }
  const isSigned = table.some(each => disjointMembers(each).some(({ value }) => isNegative(value)))
  const isRounded = table.some(({ difference }) => !isZero(difference))
  return { kind: isSigned || table.some(({ total }) => isZero(total)) ? 'signed' : 'shares', isRounded }
}

const isZero = (value: string | null) => value !== null && Number(value) === 0
const isNegative = (value: string | null) => value?.startsWith('-')

/** Exactly, or to the accuracy that the filing claims for its members. */
function addsUp(breakdown: Breakdown): boolean {
  const { difference } = breakdown
  if (isZero(difference)) return true
  const tolerance = disjointMembers(breakdown).reduce(
    (sum, { decimals }) =>
      sum + (decimals === null ? Number.NaN : decimals === 'INF' ? 0 : 0.5 * 10 ** -decimals),
    0,
  )
  return Math.abs(Number(difference)) <= tolerance
}

function isOneOfMore(breakdown: Breakdown): boolean {
  const { difference } = breakdown
  const [{ value } = { value: null }, ...others] = disjointMembers(breakdown)
  return (
    others.length === 0 &&
    value !== null &&
    !isNegative(value) &&
    difference !== null &&
    !isNegative(difference)
  )
}
