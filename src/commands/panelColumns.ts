/** Rows of a panel by column, as JSON has them. What is no valid cell stays as text, so that the schema names it. */
export interface PanelColumns {
  readonly date: readonly (string | null)[]
  readonly asset: readonly (string | null)[]
  readonly market?: readonly (string | null)[]
  readonly score: readonly (string | number | null)[]
  readonly forward_return: readonly (string | number | null)[]
}

/** Whole numbers are names, too: PERMNO 10107. */
export function textCell(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  return typeof value === 'string' ? value : String(value)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** A missing value is null, an empty text or NaN, as pandas and Arrow write it. */
export function numberCell(value: unknown): string | number | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') {
    const number = decimal.test(value) ? Number(value) : Number.NaN
    return Number.isFinite(number) ? number : value
  }
  if (typeof value !== 'number') return String(value)
  if (Number.isNaN(value)) return null
  // JSON would write an infinite number as null.
  return Number.isFinite(value) ? value : String(value)
}
