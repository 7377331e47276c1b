import { differenceOfDecimals, sumOfDecimals } from '../wholeFilings/decimals.ts'
import { roundingOfSum } from '../wholeFilings/rounding.ts'
import { tagKey } from '../wholeFilings/tags.ts'
import type { ReportedFigure } from '../wholeFilings/wholeFiling.ts'
import type { StandardLine } from './definition.ts'
import { equations } from './equations.ts'
import { sumText, type TriedIdentity } from './lineCheck.ts'
import { type LineValue, negated } from './lineValues.ts'
import { perShare } from './perShare.ts'
import type { PlacedStatement } from './placeLines.ts'
import type { FiledStatement } from './standardFiling.ts'
import { roundingUnit } from './structure.ts'

type SourceOfSum = 'calculation of the filing' | 'schema of the register' | 'lines of the statement'

interface Sum {
  readonly source: SourceOfSum
  readonly total: number
  readonly items: readonly { readonly at: number; readonly weight: number }[]
  /** Whether the statement does not show some of the items that the filing states. */
  readonly isPartial: boolean
}

/** The identities of a statement alone, tried column by column. checkFiling.ts adds those across statements. */
export class StatementIdentities {
  readonly #statement: FiledStatement
  readonly #power: number
  /** Sums that the filing or its register states; without a linkbase also totals that equal the sum of the lines above. */
  readonly #sums: readonly Sum[]
  readonly #unit: number
  readonly #lineOf: ReadonlyMap<number, StandardLine>

  constructor(statement: FiledStatement, power: number) {
    this.#statement = statement
    this.#power = power
    const hasLinkbase = statement.sums.some(({ schema }) => schema === undefined)
    this.#sums = [...statedSums(statement), ...(hasLinkbase ? [] : shownSums(statement))]
    this.#unit = roundingUnit(
      statement.rows
        .filter(row => row.unit === 'currency')
        .map(({ figures }) => figures.map(figure => (figure?.value == null ? null : Number(figure.value)))),
    )
    this.#lineOf = new Map(statement.placed.flatMap(({ line, rows }) => rows.map(at => [at, line])))
  }

  tryIn(column: number, values: ReadonlyMap<string, LineValue>): TriedIdentity[] {
    const statement = this.#statement
    return [
      ...this.#sums.flatMap(sum => this.#trySum(sum, column) ?? []),
      ...equations(statement, column, values, this.#power),
      ...(statement.statement === 'income' ? perShare(statement, column, values, this.#power) : []),
    ]
  }

  #trySum({ source, total, items, isPartial }: Sum, column: number): TriedIdentity | null {
    const { rows } = this.#statement
    const isStated = source !== 'lines of the statement'
    const stated = rows[total].figures[column] ?? null
    const found = items.filter(({ at }) => rows[at].figures[column]?.value != null)
    if (stated === null || stated.value === null || found.length < (isStated ? 1 : 2)) return null
    const figures = found.map(({ at }) => rows[at].figures[column] ?? null)
    const sum = sumOfDecimals(figures.map((figure, index) => weighted(figure, found[index].weight)))
    const difference = differenceOfDecimals(stated.value, sum)
    const rounding = isStated
      ? roundingOfSum([stated, ...figures], this.#power)
      : this.#unit * Math.min(2, (found.length + 1) / 2)
    const holds = Math.abs(Number(difference)) <= rounding
    // An item without a figure may be what is missing, and a sum that only the lines show need not hold in each column.
    if (!holds && (!isStated || isPartial || found.length < items.length)) return null
    // Lines without a label, such as the codes of a form, have the names of their standard lines.
    const name = (at: number) => rows[at].label ?? this.#lineOf.get(at)?.label ?? rows[at].name
    return {
      state: !holds ? 'contradicted' : isStated ? 'proved' : 'consistent',
      identity: `${name(total)} = ${sumText(found.map(({ at, weight }) => ({ name: name(at), weight })))}, as the ${source} ${isStated ? 'states' : 'show'}`,
      difference,
      sides: { left: stated.value, right: sum, unit: stated.unit, tolerance: rounding },
      lines: new Set([total, ...found.map(({ at }) => at)].flatMap(at => this.#lineOf.get(at)?.name ?? [])),
    }
  }
}

function statedSums({ rows, sums }: FiledStatement): Sum[] {
  const indexOf = new Map<string, number>()
  rows.forEach(({ concept, atBeginning }, at) => {
    const key = tagKey(concept)
    if (!atBeginning && !indexOf.has(key)) indexOf.set(key, at)
  })
  return sums.flatMap(sum => {
    const total = indexOf.get(tagKey(sum.total))
    if (total === undefined) return []
    const items = sum.items.flatMap(({ concept, weight }) => {
      const at = indexOf.get(tagKey(concept))
      return at === undefined ? [] : [{ at, weight }]
    })
    return [
      {
        source:
          sum.schema === undefined
            ? ('calculation of the filing' as const)
            : ('schema of the register' as const),
        total,
        items,
        isPartial: sum.schema === 'partial' || items.length < sum.items.length,
      },
    ]
  })
}

const shownSums = ({ structure: { items, weights } }: PlacedStatement): Sum[] =>
  items.flatMap((ofTotal, total) =>
    ofTotal.length < 2
      ? []
      : [
          {
            source: 'lines of the statement' as const,
            total,
            items: [...ofTotal].sort((a, b) => a - b).map(at => ({ at, weight: weights[at] })),
            isPartial: false,
          },
        ],
  )

const weighted = (figure: ReportedFigure | null, weight: number) =>
  weight < 0 ? negated(figure?.value ?? '0') : (figure?.value ?? '0')
