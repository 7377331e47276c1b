import type { AuditState } from '../../../src/backtest/audit/states.ts'
import { type Kind, kinds, knownOn, type RealCompany, type RealFigures, type Stated } from './realFigures.ts'

/* What an audit has to say of a cell, by plain loops over what was filed. Unlike the audit, this knows how the column was made. */

/** How a column was written. */
export type Style =
  | { readonly kind: 'exact' }
  | { readonly kind: 'decimals'; readonly places: number }
  | { readonly kind: 'digits'; readonly digits: number }
  | { readonly kind: 'single' }

export interface Column {
  readonly name: string
  readonly metric: string
  readonly period: Kind
  readonly scale: number
  readonly sign: 1 | -1
  readonly style: Style
  /** Whether values are divided by the splits after their filing. */
  readonly adjusted: boolean
}

export interface Row {
  readonly day: number
  /** The last day whose filings were public. */
  readonly known: number
  /** Milliseconds since 1970, for rows with times. */
  readonly instant?: number
  readonly ticker: string
  readonly company: RealCompany | null
  /** Predecessors, successors and companies that have had the same symbol. */
  readonly others: readonly RealCompany[]
}

export interface Judged {
  readonly state: AuditState
  readonly reason: string | null
  /** Any of these filings is right: they were filed on one day. Null: no filing. */
  readonly filings: ReadonlySet<string> | null
  readonly filed: number | null
}

/** The splits of shares, by their day of effect. Sources: Apple 10-Q 0001193125-14-277160 and 10-K 0000320193-20-000096; Alphabet
 * 10-Q 0001652044-22-000071. */
export const realSplits: Readonly<
  Record<string, readonly { readonly day: string; readonly ratio: number }[]>
> = {
  '0000320193': [
    { day: '2014-06-09', ratio: 7 },
    { day: '2020-08-31', ratio: 4 },
  ],
  '0001652044': [{ day: '2022-07-18', ratio: 20 }],
}

/** What a figure per share that was filed on a day is divided by, to be per today's share. */
export function divisor({ issuerId }: RealCompany, filed: number): number {
  let all = 1
  for (const { day, ratio } of realSplits[issuerId] ?? [])
    if (Date.parse(day) / 86_400_000 > filed) all *= ratio
  return all
}

/** A figure as the column writes it. */
export function written({ style, scale, sign }: Column, figure: number): number {
  const value = (figure / scale) * sign
  return rounded(style, value) + 0
}

function rounded(style: Style, value: number): number {
  switch (style.kind) {
    case 'exact':
      return value
    case 'decimals':
      return Number(value.toFixed(style.places))
    case 'digits':
      return Number(value.toPrecision(style.digits))
    case 'single':
      return Math.fround(value)
    default:
      return style satisfies never
  }
}

/** By how much a number may differ from what the column writes of it. */
function half(style: Style, value: number): number {
  switch (style.kind) {
    case 'exact':
      return 0
    case 'decimals':
      return 0.5 * 10 ** -style.places
    case 'digits':
      return value === 0 ? 0 : 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(value))) - style.digits + 1)
    case 'single':
      return Math.abs(value) * 2 ** -24
    default:
      return style satisfies never
  }
}

/** A cell with fewer than three digits is compared with the known figure only. */
const isDistinctive = (style: Style, value: number) => Math.abs(value) >= 2 * 99.5 * half(style, value)

const isNear = (a: number, b: number, by: number) =>
  Math.abs(a - b) <= by * (1 + 1e-9) + 1e-12 * Math.max(Math.abs(a), Math.abs(b))

const scales = [1, 1e3, 1e6, 1e9, 1e-2, 1e-3, 1e-6]

const found = (state: AuditState, one: Stated | null, among: readonly Stated[] = []): Judged => ({
  state,
  reason: null,
  filings:
    one === null
      ? null
      : new Set([one, ...among.filter(({ filed }) => filed === one.filed)].map(({ filing }) => filing)),
  filed: one?.filed ?? null,
})

const latest = (some: readonly Stated[]) =>
  some.reduce((a, b) => (b.end > a.end || (b.end === a.end && b.filed > a.filed) ? b : a))
const first = (some: readonly Stated[]) => some.reduce((a, b) => (b.filed < a.filed ? b : a))

/** The latest period that was known, otherwise what is filed first. */
function nearest(some: readonly Stated[], known: number): Stated {
  const past = some.filter(({ filed }) => filed <= known)
  return past.length > 0 ? latest(past) : first(some)
}

export function judge(figures: RealFigures, row: Row, column: Column, value: number): Judged {
  const { metric, period, scale, sign, style, adjusted } = column
  const { company, known } = row
  const figure = value * sign * scale
  const by = half(style, value) * scale
  const byOthers = isDistinctive(style, value) ? by : 0
  const shown = (one: Stated) =>
    adjusted && company !== null ? one.value / divisor(company, one.filed) : one.value
  const own = company === null ? [] : figures.stated(company, metric, period)
  const current = company === null ? null : knownOn(own, known)
  if (current !== null) {
    if (isNear(figure, current.value, 0)) return found('known', current)
    if (isNear(figure, current.value, by)) return found('rounded', current)
    if (adjusted && isNear(figure, shown(current), by)) return { ...found('rounded', null) }
  }
  if (company !== null) {
    const same = own.filter(one => isNear(figure, shown(one), byOthers))
    const later = same.filter(({ filed }) => filed > known)
    const announced = later.filter(one => isReleased(figures, company, one, row) && !isRepeated(own, one))
    const restated = later.filter(({ firstFiled }) => firstFiled <= known)
    const early = later.filter(({ firstFiled }) => firstFiled > known)
    if (value !== 0 && announced.length > 0) return found('announced', first(announced), announced)
    if (same.length > later.length) {
      const past = same.filter(({ filed }) => filed <= known)
      return found('stale', latest(past), past)
    }
    if (value !== 0 && restated.length > 0) return found('restated', first(restated), restated)
    if (value !== 0 && early.length > 0) {
      const repeated = early.filter(one => isRepeated(own, one) && one.end <= row.day)
      const unseen = early.filter(one => !repeated.includes(one))
      const isUnsaid =
        repeated.length > 0 && (unseen.length === 0 || first(repeated).filed <= first(unseen).filed)
      return isUnsaid ? found('not_covered', null) : found('early', first(unseen), unseen)
    }
  }
  for (const other of value === 0 ? [] : row.others) {
    if (other === company) continue
    const same = figures.stated(other, metric, period).filter(one => isNear(figure, one.value, byOthers))
    if (same.length > 0) return found('other_company', nearest(same, known), same)
  }
  const reason = company === null ? null : reasonOf(figures, row, column, value, byOthers)
  if (reason !== null) return reason
  return found(own.some(({ filed }) => filed <= known) ? 'no_match' : 'not_covered', null)
}

/** Whether a figure is first on record as a comparative of a filing that also states a later period. */
const isRepeated = (own: readonly Stated[], one: Stated): boolean =>
  one.filed === one.firstFiled && own.some(({ filed, end }) => filed === one.filed && end > one.end)

/** Whether a period's last earnings release before its filing was public on a row. */
export function isReleased(
  figures: RealFigures,
  company: RealCompany,
  one: Stated,
  { known, instant }: Row,
): boolean {
  if (one.filed !== one.firstFiled) return false
  const release = figures.releases(company).findLast(({ filed }) => filed <= one.filed)
  if (release === undefined || release.filed <= one.end) return false
  return instant === undefined ? release.filed <= known : release.accepted <= instant
}

/** How a cell would match if it were read in another way. */
function reasonOf(
  figures: RealFigures,
  { company, known }: Row,
  { metric, period, scale, sign, style }: Column,
  value: number,
  by: number,
): Judged | null {
  if (company === null) return null
  const figure = value * sign * scale
  const named = (reason: string, same: readonly Stated[]): Judged => ({
    ...found('no_match', nearest(same, known), same),
    reason,
  })
  for (const other of kinds.filter(kind => kind !== period)) {
    const same = figures.stated(company, metric, other).filter(one => isNear(figure, one.value, by))
    if (same.length > 0) return named('period', same)
  }
  if (value === 0) return null
  const own = figures.stated(company, metric, period)
  const opposite = own.filter(one => isNear(-figure, one.value, by))
  if (opposite.length > 0) return named('sign', opposite)
  for (const one of scales) {
    if (one === scale) continue
    const factor = one / scale
    const same = own.filter(({ value: stated }) => isNear(figure * factor, stated, by * factor))
    if (same.length > 0) return named('scale', same)
  }
  if (!/eps|dividend/.test(metric)) return null
  const ratios = ratiosOf(company)
  const current = knownOn(own, known)
  const wide = Math.max(half(style, value), by / scale) * scale
  if (current !== null && ratios.some(ratio => isNear(figure * ratio, current.value, wide * ratio)))
    return named('split', [current])
  for (const ratio of ratios) {
    const same = own.filter(({ value: stated }) => isNear(figure * ratio, stated, by * ratio))
    if (same.length > 0) return named('split', same)
  }
  return null
}

/** The ratios by which a figure differs that was adjusted for some of a company's splits, or not at all. */
function ratiosOf({ issuerId }: RealCompany): number[] {
  const products = [1]
  for (const { ratio } of realSplits[issuerId] ?? []) products.push(...products.map(one => one * ratio))
  return products.length === 1 ? [] : products.flatMap(one => [one, 1 / one])
}
