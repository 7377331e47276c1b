import type { AuditedColumn, AuditReading } from '../../backtest/audit/result.ts'
import type { AuditReason } from '../../backtest/audit/states.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import { percent, plural } from '../../backtest/report/numberFormat.ts'
import { scrollTable } from '../../backtest/report/tearSheet/scrollTable.ts'
import { html, type Markup } from '../../html.ts'
import type { AuditHead } from './schema.ts'

/** How each column was read, why, and how sure that is. */
export function columnSection({ columns }: AuditHead): Markup {
  return html`<p>A column is compared with the figures of one metric and one kind of period, in one scale and sign. If a reading is wrong, so are its states: name the metric, and if need be the period and the scale, in <code>columns</code> and run the audit again.</p>
${scrollTable(
  'How each column was read',
  html`<table class="readings"><caption class="hidden">How each column was read</caption>
<thead><tr><th scope="col">Column</th><th scope="col" class="text">Read as</th><th scope="col" class="text">According to</th><th scope="col">Sampled cells that match</th><th scope="col" class="text">Next best reading</th></tr></thead>
<tbody>${columns.map(
    ({ name, reading }) =>
      html`<tr><th scope="row" class="name">${name}</th><td class="text">${describeReading(reading)}</td><td class="text short">${reasons[reading.recognised]}</td><td>${percent(reading.matched_share)}</td><td class="text">${nextBest(reading)}</td></tr>\n`,
  )}</tbody></table>`,
  'phone',
)}
${columns.map(otherReadings)}`
}

const reasons: Readonly<Record<AuditReading['recognised'], string>> = {
  sent: 'the request',
  name: 'its name',
  values: 'its values',
}

const periods: Readonly<Record<AsOfPeriod, string>> = {
  FY: 'fiscal years',
  TTM: 'trailing twelve months',
  Q: 'quarters',
  latest: 'the latest period, of whatever length',
}

const scales: Readonly<Record<string, string>> = {
  1: 'in units',
  1000: 'in thousands',
  1000000: 'in millions',
  1000000000: 'in billions',
  0.01: 'in per cent',
}

const scaleOf = (scale: number) => scales[scale] ?? `in units of ${scale}`
const signOf = (sign: number) => (sign === -1 ? ['with the opposite sign'] : [])

function describeReading(reading: AuditReading): string {
  const { metric, tag, line, fp, scale, sign, splits, units } = reading
  const { rounding_unit: unit, significant_digits: digits } = reading
  const of = units.length === 0 ? '' : ` of ${units.join(', ')}`
  return [
    `${metric ?? tag ?? line ?? 'nothing'}: ${periods[fp]}`,
    `${scaleOf(scale)}${of}`,
    ...signOf(sign),
    ...(splits === 'adjusted' ? ['adjusted for splits'] : []),
    ...(unit === null ? [] : [`rounded to multiples of ${unit}`]),
    ...(digits === null ? [] : [`rounded to ${digits} significant digits`]),
  ].join(', ')
}

function nextBest({ next_best: next }: AuditReading): string {
  if (next === null) return 'none'
  const { fp, scale, sign, matched_share: share } = next
  return `${[periods[fp], scaleOf(scale), ...signOf(sign)].join(', ')}: ${percent(share)}`
}

const reasonWords: Readonly<Record<AuditReason, string>> = {
  period: 'as another kind of period',
  sign: 'with the opposite sign',
  scale: 'in another scale',
  split: 'if adjusted for a split',
  currency: 'in another currency',
}

/** Cells without a match that would have one if they were read in another way. */
function otherReadings({ name, reasons: found }: AuditedColumn): Markup | null {
  const cellsOf: Readonly<Record<string, number>> = found
  const words = Object.entries(reasonWords).flatMap(([reason, text]) => {
    const cells = cellsOf[reason] ?? 0
    return cells === 0 ? [] : [`${plural(cells, 'cell')} ${text}`]
  })
  if (words.length === 0) return null
  return html`<p>Without a match in <b class="name">${name}</b>, but with one if read differently: ${words.join('; ')}.</p>`
}

/** Less than this, and the column may be something else. */
const doubtfulShare = 0.5

/** What a reader should know before trusting the states. */
export function doubts({ columns }: AuditHead): string[] {
  return columns.flatMap(({ name, reading: { metric, tag, line, ...reading } }) => [
    ...(reading.matched_share < doubtfulShare
      ? [
          `Only ${percent(reading.matched_share)} of the sampled cells of ${name} equal a figure of ${metric ?? tag ?? line}. The column may be something else, and then its states mean nothing.`,
        ]
      : []),
    ...(reading.converted_from.length > 0
      ? [
          `${name} seems to be converted from ${reading.converted_from.join(', ')}. Converted cells cannot be judged.`,
        ]
      : []),
  ])
}
