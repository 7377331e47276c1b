import { differenceOfDecimals, sumOfDecimals } from '../wholeFilings/decimals.ts'
import { periodKey } from '../wholeFilings/knownStatement.ts'
import { isInstant, type Period } from '../wholeFilings/layOut.ts'
import { tagKey } from '../wholeFilings/tags.ts'
import type { CheckedValue } from './checkFiling.ts'
import { type LineCheck, worstOf } from './lineCheck.ts'
import { partsOfPeriod } from './periodSums.ts'
import type { FiledStatement } from './standardFiling.ts'

/** A statement of a filing with the values of its lines, by column and name. */
export interface CheckedStatement extends FiledStatement {
  readonly checked: readonly ReadonlyMap<string, CheckedValue>[]
}

interface Known {
  readonly period: Period
  readonly value: CheckedValue
  /** Which tags make the line: under other tags it may mean something else. */
  readonly tags: string
  /** The column of the latest filing; null in all filings before it. */
  readonly column: number | null
}

/**
 * Tries whether periods are the sums of their parts, as stated by a filing and those filed before it. An identity gives
 * its state to the figures of the filing that completes it. No later filing changes the state of a figure.
 *
 * @param earlier the filings before it, the latest first
 */
export function checkAcrossFilings(
  statement: CheckedStatement,
  earlier: readonly CheckedStatement[],
): CheckedStatement['checked'] {
  const known = new Map<string, Map<string, Known>>()
  ;[statement, ...earlier].forEach((each, order) => {
    each.columns.forEach(({ period }, column) => {
      if (period === null || isInstant(period)) return
      const key = periodKey(period)
      for (const [line, value] of each.checked[column]) {
        if (each.rows[value.rows[0]].unit !== 'currency') continue
        const ofLine = known.get(line) ?? new Map<string, Known>()
        known.set(line, ofLine)
        if (!ofLine.has(key))
          ofLine.set(key, { period, value, tags: tagsOf(each, value), column: order === 0 ? column : null })
      }
    })
  })
  const tried = statement.columns.map(() => new Map<string, LineCheck[]>())
  for (const [line, ofLine] of known)
    for (const whole of ofLine.values()) {
      const found = firstSum(whole, ofLine)
      if (found === null) continue
      for (const { column } of [whole, ...found.parts])
        if (column !== null) tried[column].set(line, [...(tried[column].get(line) ?? []), found.check])
    }
  return statement.checked.map(
    (values, column) =>
      new Map(
        [...values].map(([line, value]) => [
          line,
          { ...value, check: worstOf([value.check, ...(tried[column].get(line) ?? [])]) },
        ]),
      ),
  )
}

const tagsOf = ({ rows }: FiledStatement, { rows: used }: CheckedValue) =>
  used
    .map(at => tagKey(rows[at].concept))
    .sort()
    .join(' ')

/** The first division of a period whose parts are all known; null if there is none. */
function firstSum(
  whole: Known,
  ofLine: ReadonlyMap<string, Known>,
): { readonly check: LineCheck; readonly parts: readonly Known[] } | null {
  for (const { identity, parts: keys } of partsOfPeriod(whole.period)) {
    const parts = keys.flatMap(key => ofLine.get(key) ?? [])
    if (parts.length < keys.length || parts.some(({ value }) => value.unit !== whole.value.unit)) continue
    const right = sumOfDecimals(parts.map(({ value }) => value.value))
    const difference = differenceOfDecimals(whole.value.value, right)
    const rounding = [whole, ...parts].reduce((sum, { value }) => sum + value.rounding, 0)
    const holds = Math.abs(Number(difference)) <= rounding
    if (!holds && parts.some(({ tags }) => tags !== whole.tags)) continue
    const sides = { left: whole.value.value, right, unit: whole.value.unit, tolerance: rounding }
    return { check: { state: holds ? 'consistent' : 'contradicted', identity, difference, sides }, parts }
  }
  return null
}
