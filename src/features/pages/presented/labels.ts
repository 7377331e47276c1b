import { lengthName, type StatedPeriod } from '../../statements/periodLength.ts'
import type { Dimension } from '../../statements/schema.ts'

/** What taxonomies put at the end of labels of elements that are not figures. */
const elementKind = / \[(Abstract|Line Items|Roll ?Forward|Member|Domain|Axis|Table)\]$/i

/** A company's label as its documents have it; without one, the words of the tag. */
export const lineLabel = (label: string | null, tag: string): string =>
  label === null ? wordsOf(tag) : label.replace(elementKind, '')

const memberLabel = ({ label, member }: Pick<Dimension, 'label' | 'member'>): string =>
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

/** A period in a sentence: `3 months to 2009-06-27`, or the day of a balance. */
export function periodText(period: StatedPeriod): string {
  const length = lengthName(period)
  return length === null ? period.end : `${length} to ${period.end}`
}

/** The length of a period as the head of its columns says it. */
export function lengthText(period: StatedPeriod): string {
  const length = lengthName(period)
  return length === null ? 'Balances on' : `${length} to`
}
