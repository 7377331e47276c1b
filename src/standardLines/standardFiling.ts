import { chooseStatement } from '../wholeFilings/kindOfStatement.ts'
import { layOutStatement, type StatementColumn } from '../wholeFilings/layOut.ts'
import type { StatementKind, WholeFiling } from '../wholeFilings/wholeFiling.ts'
import { companyKindOf } from './companyKind.ts'
import { type CompanyKind, type StandardStatement, standardStatements } from './definition.ts'
import { placeStatement } from './placeBySchema.ts'
import type { PlacedStatement } from './placeLines.ts'
import { type PresentedFace, presentedRows, sumsOf } from './presentedRows.ts'

/** What a filing's statements are read from. */
export type PresentingFiling = Pick<WholeFiling, 'figures' | 'statements' | 'sums'>

/** The same with the periods of its figures. */
export interface FaceOfStatement extends PresentedFace {
  readonly columns: readonly StatementColumn[]
  /** Whether some line has figures of members alone, such as of a class of stock, so that it is not among the rows. */
  readonly hasDividedLines: boolean
}

export interface StandardFiling {
  readonly kind: CompanyKind
  readonly statements: ReadonlyMap<StandardStatement, FiledStatement>
}

export type FiledStatement = PlacedStatement & Omit<FaceOfStatement, 'rows'>

const kinds: Readonly<Record<StandardStatement, StatementKind>> = {
  income: 'IS',
  balance: 'BS',
  cash_flow: 'CF',
}

/** The face of a statement; null if the filing does not present it with figures. */
export function faceOf(filing: PresentingFiling, statement: StandardStatement): FaceOfStatement | null {
  const chosen = chooseStatement(filing, kinds[statement])
  if (chosen === null) return null
  const table = layOutStatement(filing, chosen.statement)
  const rows = presentedRows(table)
  return rows.length === 0
    ? null
    : {
        presented: chosen.statement,
        columns: table.columns,
        rows,
        sums: sumsOf(filing.sums, chosen.statement),
        hasDividedLines: table.rows.some(
          ({ isHeading, dimensions, line }) =>
            !isHeading && dimensions.length > 0 && !rows.some(({ concept }) => concept === line.concept),
        ),
      }
}

/**
 * Statements of a filing under standard names.
 *
 * @param wanted all of them by default
 */
export function standardFiling(
  filing: PresentingFiling,
  industry: number | null = null,
  wanted: readonly StandardStatement[] = standardStatements,
): StandardFiling {
  // The kind of the company follows from these two.
  const needed = standardStatements.filter(name => name !== 'cash_flow' || wanted.includes(name))
  const faces = new Map(needed.map(statement => [statement, faceOf(filing, statement)]))
  const kind = companyKindOf(
    { balance: faces.get('balance')?.rows ?? [], income: faces.get('income')?.rows ?? [] },
    industry,
  )
  const placed = [...faces].flatMap(([statement, face]) =>
    face === null || !wanted.includes(statement)
      ? []
      : [[statement, { ...face, ...placeStatement(statement, kind, face) }] as const],
  )
  return { kind, statements: new Map(placed) }
}
