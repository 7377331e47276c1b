import { html, type Markup } from '../../../html.ts'
import type { Breakdown } from '../../statements/segmentsSchema.ts'
import { type Bar, type BarSeries, barChart } from '../charts/barChart.ts'
import { exactDecimal } from '../numbers.ts'
import { type BreakdownTable, type Division, disjointMembers, divisionOf } from './divide.ts'
import { lineLabel, periodText } from './labels.ts'

/** What the height of a bar is. */
export type BarsAs = 'shares' | 'amounts'

/** The members of a breakdown as bars, one per period, the earliest first. */
export function breakdownChart(table: BreakdownTable, subject: string, as: BarsAs): Markup {
  const division = divisionOf(table)
  const isShares = division.kind === 'shares' && as === 'shares'
  const periods = [...table].reverse()
  const bar = (period: Breakdown, value: string): Bar => {
    const exact = `${exactDecimal(value)} ${period.unit}`
    const share = division.kind === 'apart' ? null : shareOf(value, period.total)
    return {
      value: isShares ? partOf(value, period.total) : Number(value),
      title: share === null ? exact : `${exact}, ${share} of the total`,
    }
  }
  const members = namesOf(table)
  const series: BarSeries[] = [...members].map(([member, name]) => ({
    name,
    bars: periods.map(period => {
      const value = disjointMembers(period).find(each => each.member === member)?.value ?? null
      return value === null ? null : bar(period, value)
    }),
  }))
  if (division.kind === 'rest')
    series.push({
      name: 'Rest of the total (computed)',
      bars: periods.map(each => bar(each, each.difference ?? '0')),
    })
  return html`<p class="quiet">${divisionText(division)}${hasParts(table) && ' Members that are part of another one are in the table alone.'}</p>
${barChart({
  label: `${subject}, ${isShares ? 'share of the total' : 'amounts'} by member and period`,
  categories: periods.map(periodName),
  series,
  isStacked: division.kind !== 'apart',
  tickText: isShares ? value => `${value}%` : amountTick,
})}`
}

/** The members of all periods that are not part of another one, with the labels of the latest period. */
function namesOf(table: BreakdownTable): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const period of table)
    for (const { member, label } of disjointMembers(period))
      if (!names.has(member)) names.set(member, lineLabel(label, member))
  return names
}

const hasParts = (table: BreakdownTable) =>
  table.some(({ members }) => members.some(({ part_of }) => part_of !== null))

const periodName = ({ fy, fp, end }: Breakdown) => (fy === null || fp === null ? end : `${fp} ${fy}`)

const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })
/** A round amount on an axis: `40bn`. */
export const amountTick = (value: number): string => compact.format(value)

function divisionText(division: Division): string {
  switch (division.kind) {
    case 'shares':
      return division.isRounded
        ? 'In every period the members add up to the total, to the accuracy that the filing claims for them.'
        : 'In every period the members add up exactly to the total.'
    case 'signed':
      return `In every period the members add up ${division.isRounded ? 'to the total, to the accuracy that the filing claims for them' : 'exactly to the total'}. Negative ones, such as eliminations, are drawn below zero.`
    case 'rest':
      return 'The filing names only one part of the total. The rest is the total minus this part: computed, not stated.'
    case 'apart': {
      const { kind, period } = division.why
      if (kind === 'noTotal')
        return `The filing states no total for ${periodText(period)}, so the bars stand side by side.`
      const { sum, total, unit, difference } = period
      const [more, less] = difference?.startsWith('-') ? ['sum', 'total'] : ['total', 'sum']
      const gap = exactDecimal(difference?.replace('-', '') ?? '')
      return `In ${periodText(period)} the members add up to ${exactDecimal(sum)} ${unit} and the total is ${exactDecimal(total ?? '')} ${unit}: the ${more} is ${gap} ${unit} above the ${less}. Members may overlap, or the company may leave amounts out, so the bars stand side by side and none is a share of the whole.`
    }
  }
}

const percent = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

const partOf = (value: string, total: string | null) => (Number(value) / Number(total ?? 0)) * 100

/** Null if there is no total. */
export function shareOf(value: string | null | undefined, total: string | null): string | null {
  return value == null || Number(total ?? 0) === 0 ? null : `${percent.format(partOf(value, total))}%`
}
