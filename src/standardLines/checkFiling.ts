import { roundingOf, roundingOfSum } from '../wholeFilings/rounding.ts'
import type { ReportedFigure } from '../wholeFilings/wholeFiling.ts'
import { acrossStatements } from './acrossStatements.ts'
import type { StandardStatement } from './definition.ts'
import type { FilingValues, TriedInFiling } from './filingValues.ts'
import { type LineCheck, type TriedIdentity, worstOf } from './lineCheck.ts'
import { type LineValue, lineValue } from './lineValues.ts'
import { partsInFiling } from './partsInFiling.ts'
import type { PresentingFiling, StandardFiling } from './standardFiling.ts'
import { StatementIdentities } from './statementIdentities.ts'

/** A value of a standard line, and what all identities of its own filing say about it. */
export interface CheckedValue extends LineValue {
  readonly check: LineCheck
  /** By how much rounding may have changed the value. */
  readonly rounding: number
}

/** The checked values of a filing: by statement and column, those of its lines by name. */
export type CheckedFiling = ReadonlyMap<StandardStatement, readonly ReadonlyMap<string, CheckedValue>[]>

/** Tries every identity that a filing can satisfy by itself: within its statements, across them, and with its notes. */
export function checkFiling(filing: PresentingFiling, { statements }: StandardFiling): CheckedFiling {
  const power = roundingOf(
    [...statements.values()].flatMap(({ rows }) =>
      rows.flatMap(row => (row.unit === 'currency' ? row.figures.filter(figure => figure !== null) : [])),
    ),
  )
  const values: FilingValues = new Map(
    [...statements].map(([name, statement]) => [
      name,
      statement.columns.map((_, column) => {
        const found = new Map<string, LineValue>()
        for (const placed of statement.placed) {
          const value = lineValue(statement, placed, column)
          if (value !== null) found.set(placed.line.name, value)
        }
        return found
      }),
    ]),
  )
  const tried = new Map(
    [...statements].map(([name, statement]) => {
      const identities = new StatementIdentities(statement, power)
      return [name, values.get(name)?.map((ofColumn, column) => identities.tryIn(column, ofColumn)) ?? []]
    }),
  )
  shareIdentities(statements, values, tried)
  const further: TriedInFiling = {
    add: (statement, column, identity) => tried.get(statement)?.[column]?.push(identity),
  }
  acrossStatements(statements, values, power, further)
  partsInFiling(filing, statements, values, power, further)
  return new Map(
    [...values].map(([name, columns]) => [
      name,
      columns.map((ofColumn, column) => {
        const identitiesOf = new Map<string, TriedIdentity[]>()
        for (const identity of tried.get(name)?.[column] ?? [])
          for (const line of identity.lines) {
            const others = identitiesOf.get(line)
            if (others === undefined) identitiesOf.set(line, [identity])
            else others.push(identity)
          }
        return new Map(
          [...ofColumn].map(([line, value]) => [
            line,
            {
              ...value,
              check: worstOf(identitiesOf.get(line) ?? []),
              rounding: roundingOfSum(
                value.rows.map(at => statements.get(name)?.rows[at].figures[column] ?? null),
                power,
              ),
            },
          ]),
        )
      }),
    ]),
  )
}

/**
 * A figure that several statements show, such as net income or cash, has the identities that hold on each of them. One
 * that does not hold remains where it was tried: the other items of its sum may be wrong.
 */
function shareIdentities(
  statements: StandardFiling['statements'],
  values: FilingValues,
  tried: ReadonlyMap<StandardStatement, readonly TriedIdentity[][]>,
): void {
  interface Shown {
    readonly statement: StandardStatement
    readonly column: number
    readonly line: string
  }
  const shown = new Map<ReportedFigure, Shown[]>()
  for (const [statement, columns] of values)
    columns.forEach((ofColumn, column) => {
      for (const [line, { rows }] of ofColumn) {
        const figure = rows.length === 1 ? statements.get(statement)?.rows[rows[0]].figures[column] : null
        if (figure == null) continue
        const others = shown.get(figure)
        if (others === undefined) shown.set(figure, [{ statement, column, line }])
        else others.push({ statement, column, line })
      }
    })
  const shared = [...shown.values()].flatMap(places => {
    const from = new Set(places.map(({ statement }) => statement))
    if (from.size < 2) return []
    const holding = places.map(({ statement, column, line }) =>
      (tried.get(statement)?.[column] ?? []).filter(
        ({ state, lines }) => state !== 'contradicted' && lines.has(line),
      ),
    )
    return places.flatMap((place, at) =>
      holding.flatMap((identities, other) =>
        places[other].statement === place.statement || at === other
          ? []
          : identities.map(identity => ({ ...place, identity })),
      ),
    )
  })
  for (const { statement, column, line, identity } of shared)
    tried.get(statement)?.[column].push({ ...identity, lines: new Set([line]) })
}
