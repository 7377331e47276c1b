import {
  exactDecimal,
  isPerShare,
  type Power,
  powerNames,
  powerOf,
  shownDecimal,
  type UnitKind,
  unitKind,
} from '../numbers.ts'

/** A line of a statement, as far as its figures are shown. */
export interface FigureLine {
  readonly tag: string
  readonly cells: readonly ({ readonly value: string | null; readonly unit: string } | null)[]
}

/** How the figures of a statement are shown. */
export interface Scales {
  /** The currency of most amounts; null if there are none. */
  readonly currency: string | null
  readonly money: Power
  readonly shares: Power
  readonly hasShares: boolean
  readonly hasOthers: boolean
}

export function scalesOf(lines: readonly FigureLine[]): Scales {
  const cells = lines.flatMap(line => {
    const kindOf = kindsOf(line)
    return line.cells.flatMap(cell => (cell === null ? [] : [{ ...cell, kind: kindOf(cell.unit) }]))
  })
  const valuesOf = (kind: UnitKind) =>
    cells.flatMap(({ kind: own, value }) => (value !== null && own === kind ? [value] : []))
  const counts = new Map<string, number>()
  for (const { unit, kind } of cells) if (kind === 'money') counts.set(unit, (counts.get(unit) ?? 0) + 1)
  const [currency = null] = [...counts].sort(([, a], [, b]) => b - a).map(([unit]) => unit)
  return {
    currency,
    money: powerOf(valuesOf('money')),
    shares: powerOf(valuesOf('shares')),
    hasShares: valuesOf('shares').length > 0,
    hasOthers: valuesOf('other').length > 0,
  }
}

/** What the units of a line count. Amounts per share are shown as stated, like figures in dollars per share. */
export function kindsOf({ tag, cells }: FigureLine): (unit: string) => UnitKind {
  const amounts = cells.flatMap(cell =>
    cell !== null && cell.value !== null && unitKind(cell.unit) === 'money' ? [cell.value] : [],
  )
  const asStated = isPerShare(tag, amounts)
  return unit => {
    const kind = unitKind(unit)
    return kind === 'money' && asStated ? 'other' : kind
  }
}

/** Units and scales in words: `USD in millions, shares in thousands, other figures as stated`. */
export function scaleText(lines: readonly FigureLine[]): string {
  const { currency, money, shares, hasShares, hasOthers } = scalesOf(lines)
  const inScale = (power: Power) => (power === 0 ? '' : ` in ${powerNames[power]}`)
  return [
    ...(currency === null ? [] : [`${currencyName(currency)}${inScale(money)}`]),
    ...(hasShares ? [`shares${inScale(shares)}`] : []),
    ...(hasOthers ? ['other figures as stated'] : []),
  ].join(', ')
}

const currencyName = (unit: string) => unit.replace(/^iso4217:/, '')

/** A figure as its cell shows it: in the scale of the statement, with its unit if that is another currency. */
export function cellText(
  shown: string | null,
  unit: string,
  kindOf: (unit: string) => UnitKind,
  scales: Scales,
): string {
  if (shown === null) return '–'
  const kind = kindOf(unit)
  const power = kind === 'money' ? scales.money : kind === 'shares' ? scales.shares : 0
  const text = shownDecimal(shown, kind, power)
  return unitKind(unit) === 'money' && unit !== scales.currency ? `${currencyName(unit)} ${text}` : text
}

/** The value as stated, whatever sign its line shows. */
export const exactValue = (value: string | null, unit: string): string =>
  value === null ? 'Stated as nil' : `${exactDecimal(value)} ${unit}`
