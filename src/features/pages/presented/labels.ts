import { dayNumber, type IsoDate } from '../../../dates.ts'
import type { Dimension } from '../../statements/schema.ts'

/** What taxonomies put at the end of labels of elements that are not figures. */
const elementKind = / \[(Abstract|Line Items|Roll ?Forward|Member|Domain|Axis|Table)\]$/i

/** A company's label as its documents have it; without one, the words of the tag. */
export const lineLabel = (label: string | null, tag: string): string =>
  label === null ? wordsOf(tag) : label.replace(elementKind, '')

export const memberLabel = ({ label, member }: Pick<Dimension, 'label' | 'member'>): string =>
  lineLabel(label, member)

export const membersLabel = (dimensions: readonly Dimension[]): string =>
  dimensions.map(memberLabel).join(', ')

/** `us-gaap:CommonStockMember` becomes Common stock. */
function wordsOf(tag: string): string {
  const name = tag.slice(tag.indexOf(':') + 1).replace(/(Member|Domain|Axis|Abstract|RollForward)$/, '')
  const words = name.replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2').trim()
  return words === ''
    ? tag
    : words.charAt(0) + words.slice(1).replaceAll(/\b[A-Z](?=[a-z])/g, letter => letter.toLowerCase())
}

const daysOfMonth = 365.25 / 12

/**
 * The length of a period; null for a balance. Where its first day is stated, its days count, because its quarters are
 * rounded: 16 weeks are 4 months, and one month before a merger is not a balance.
 */
export function lengthName({ start, end, quarters }: StatedPeriod): string | null {
  if (start === null) return quarters === 0 ? null : `${quarters * 3} months`
  const days = dayNumber(end) - dayNumber(start) + 1
  const months = Math.round(days / daysOfMonth)
  return months === 0 ? counted(days, 'day') : counted(months, 'month')
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/** The length of a period as the head of its columns says it. */
export function lengthText(period: StatedPeriod): string {
  const length = lengthName(period)
  return length === null ? 'Balances on' : `${length} to`
}

export interface StatedPeriod {
  readonly start: IsoDate | null
  readonly end: IsoDate
  readonly quarters: number
}
