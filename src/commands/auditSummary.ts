import type { AuditedColumn, AuditReading, ColumnPremium, WorstCell } from '../backtest/audit/result.ts'
import { auditReasons, auditStates, type StateCounts } from '../backtest/audit/states.ts'
import type { AsOfPeriod } from '../backtest/figureScore.ts'
import { dash, percent, plural, ratio } from '../backtest/report/numberFormat.ts'
import type { AuditHead } from '../features/audits/schema.ts'
import { grouped, textTable, wrapText } from './output.ts'

const maxWorst = 10
const maxUnknown = 10

/**
 * The report of an audit as text for a terminal, in plain ASCII, so that it can be searched and piped.
 *
 * @param width of the terminal, in characters
 */
export function auditSummary(head: AuditHead, name: string, width: number): string {
  const lineWidth = Math.max(40, Math.min(width, 120))
  const wrapped = (text: string) => wrapText(text, lineWidth, '  ')
  const { count, columns, known, data_version, worst, premium, licence } = head
  const parts = [
    wrapped(
      `${name}: ${plural(count, 'row')}, ${plural(columns.length, 'column')}, compared with data version ${data_version}. Known is what was ${known}.`,
    ),
    countTable(head),
    columns.map(column => wrapped(readingText(column))).join('\n'),
    ...noteTexts(head).map(wrapped),
    worstTable(worst),
    premium.map(one => wrapped(premiumText(one))).join('\n'),
    licence === undefined ? '' : wrapped(licence),
  ]
  return toAscii(parts.filter(part => part !== '').join('\n\n'))
}

/** States that no cell has are left out. */
function countTable({ columns, counts }: AuditHead): string {
  const names = ([...auditStates, 'empty'] as const).filter(state => counts[state] > 0)
  const cells = (of: StateCounts) => names.map(state => grouped(of[state]))
  const rows = columns.map(({ name, counts: own }) => [name, ...cells(own)])
  const all = columns.length > 1 ? [['all', ...cells(counts)]] : []
  return rightAligned(
    ['COLUMN', ...names.map(state => state.toUpperCase().replaceAll('_', ' '))],
    [...rows, ...all],
  )
}

/** The first column is text, the others are numbers. */
function rightAligned(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map(line => line[at].length)))
  const aligned = (line: readonly string[]) =>
    line.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at])))
  return textTable(aligned(head), rows.map(aligned))
}

const periodNames: Readonly<Record<AsOfPeriod, string>> = {
  FY: 'fiscal years',
  Q: 'quarters',
  TTM: 'trailing twelve months',
  latest: 'the latest period',
}

const sources: Readonly<Record<AuditReading['recognised'], string>> = {
  sent: 'as you said',
  name: 'from its name',
  values: 'from its values',
}

function readingText({ name, reading, reasons }: AuditedColumn): string {
  const { metric, tag, line, fp, recognised, units, converted_from: converted } = reading
  const details = [
    periodNames[fp],
    ...scaleText(reading),
    ...(reading.splits === 'adjusted' ? ['adjusted for splits'] : []),
    ...(reading.rounding_unit === null ? [] : [`rounded to ${reading.rounding_unit}`]),
    ...(reading.significant_digits === null ? [] : [`${reading.significant_digits} significant digits`]),
    ...(units.length === 0 ? [] : [units.join(' and ')]),
  ]
  const { next_best: next } = reading
  const nextText =
    next === null || next.matched_share === 0
      ? ''
      : ` (next best: ${[periodNames[next.fp], ...scaleText(next)].join(', ')}: ${percent(next.matched_share)})`
  const misread = auditReasons.flatMap(reason => {
    const { [reason]: cells = 0 } = reasons
    return cells === 0 ? [] : [`${grouped(cells)} ${reason}`]
  })
  return [
    `- ${name} is read as ${metric ?? tag ?? line ?? 'a figure'} (${sources[recognised]}): ${details.join(', ')}. ${percent(reading.matched_share)} of sampled cells match${nextText}.`,
    ...(misread.length === 0 ? [] : [`Cells that would match if read otherwise: ${misread.join(', ')}.`]),
    ...(converted.length === 0
      ? []
      : [`It seems to be converted from ${converted.join(' and ')}; such cells cannot be judged.`]),
  ].join(' ')
}

function scaleText({ scale, sign }: Pick<AuditReading, 'scale' | 'sign'>): string[] {
  const named = { 1000: 'thousands', 1000000: 'millions', 1000000000: 'billions', 0.01: 'per cent' }[scale]
  return [
    ...(scale === 1 ? [] : [named === undefined ? `in units of ${scale}` : `in ${named}`]),
    ...(sign === -1 ? ['with the opposite sign'] : []),
  ]
}

function noteTexts({ ignored, unknown, unknown_count: count }: AuditHead): string[] {
  const shown = unknown.slice(0, maxUnknown)
  const more = count > shown.length ? `, and ${grouped(count - shown.length)} more` : ''
  return [
    ...(ignored.length === 0
      ? []
      : [
          `Not audited, because neither name nor values say what they are: ${ignored.join(', ')}. Name their metrics with --column.`,
        ]),
    ...(count === 0 ? [] : [`Unknown tickers: ${shown.join(', ')}${more}.`]),
  ]
}

function worstTable(worst: readonly WorstCell[]): string {
  if (worst.length === 0) return 'No cell looks ahead.'
  const shown = worst.slice(0, maxWorst)
  const rows = shown.map(cell => [
    String(cell.row),
    cell.date,
    cell.ticker,
    cell.column,
    String(cell.value),
    cell.known === null ? dash : String(cell.known),
    cell.state,
    cell.days === null ? dash : String(cell.days),
    cell.filed ?? dash,
    cell.filing ?? dash,
  ])
  const head = ['ROW', 'DATE', 'TICKER', 'COLUMN', 'VALUE', 'KNOWN', 'STATE', 'DAYS', 'FILED', 'FILING']
  const title = `The ${shown.length === 1 ? 'cell that looks' : `${shown.length} cells that look`} ahead the furthest:`
  return `${title}\n${textTable(head, rows)}`
}

function premiumText({ column, result, reason }: ColumnPremium): string {
  if (result === null) return `- Look-ahead premium of ${column}: not computed. ${reason ?? ''}`.trim()
  const { premium, premium_without_announced: without, sent, known, notes } = result
  return [
    `- Look-ahead premium of ${column}: ${interval(premium)}; the Sharpe ratio is ${ratio(sent.sharpe)} on the values as sent and ${ratio(known.sharpe)} as known, over ${plural(result.n_periods, 'period')}.`,
    `Without announced values: ${interval(without)}.`,
    ...notes.map(({ message }) => message),
  ].join(' ')
}

type Difference = NonNullable<ColumnPremium['result']>['premium']

function interval(difference: Difference): string {
  if (difference === null) return 'not defined'
  const { sharpe, low, high, level } = difference
  return `${ratio(sharpe)} (${percent(level, 0)} interval ${ratio(low)} to ${ratio(high)})`
}

const toAscii = (text: string) => text.replaceAll('−', '-').replaceAll('–', '-').replaceAll('’', "'")
