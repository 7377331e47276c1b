import type { ReportedFigure } from './wholeFiling.ts'

const isAmount = ({ unit, value }: Valued) =>
  /^(iso4217:)?[A-Z]{3}$/.test(unit) && value !== null && value !== '0'

const zeros = Array.from({ length: 7 }, (_, power) => '0'.repeat(power))

const isMultiple = ({ value }: Valued, power: number) =>
  value !== null && !value.includes('.') && value.endsWith(zeros[power])

type Valued = Pick<ReportedFigure, 'value' | 'unit'>

/** Units in which filings state amounts, as powers of ten. */
const roundingPowers = [6, 5, 3]

/** The largest power of ten that divides at least half of a filing's amounts: the one to which it rounds. */
export function roundingOf(figures: readonly Valued[]): number {
  const amounts = figures.filter(isAmount)
  const isRounded = (power: number) =>
    amounts.filter(each => isMultiple(each, power)).length * 2 >= amounts.length
  return amounts.length === 0 ? 0 : (roundingPowers.find(isRounded) ?? 0)
}

/**
 * A figure with its accuracy. If its source does not state one (data sets do not), an amount counts as
 * rounded if it is a whole multiple of the unit to which its filing rounds, as for the mapped metrics.
 * Everything else counts as exact.
 */
export function withRounding<T extends Valued & Pick<ReportedFigure, 'decimals'>>(
  figure: T,
  power: number,
): T {
  if (figure.decimals !== null) return figure
  const isRounded = power > 0 && isAmount(figure) && isMultiple(figure, power)
  return { ...figure, decimals: isRounded ? -power : Number.POSITIVE_INFINITY }
}

/** By how much rounding may have changed the sum of some figures. */
export const roundingOfSum = (figures: readonly (ReportedFigure | null)[], power: number): number =>
  figures.reduce((sum, figure) => sum + (figure === null ? 0 : halfUnit(figure, power)), 0)

/** Whole figures of sources without accuracy are rounded to units, all others as far as they are written out. */
function halfUnit(figure: ReportedFigure, power: number): number {
  if (figure.decimals !== null) return Number.isFinite(figure.decimals) ? 0.5 * 10 ** -figure.decimals : 0
  const { decimals } = withRounding(figure, power)
  if (decimals !== null && Number.isFinite(decimals)) return 0.5 * 10 ** -decimals
  const [, fraction = ''] = (figure.value ?? '').split('.')
  return 0.5 * 10 ** -fraction.length
}
