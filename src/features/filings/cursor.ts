import { Type } from '@sinclair/typebox'
import { type CursorScope, type CursorSigner, PositionCursors, refusedCursor } from '../../http/cursor.ts'
import type { FilingPosition, FilingScope } from './queries.ts'

/** The list to which a page belongs. Pages of different lists must not be combined. */
type ListOfPages = Pick<FilingScope, 'market' | 'entityId' | 'asOf'>

interface PagePosition {
  readonly position: FilingPosition
  /** Data version of the first page. */
  readonly dataVersion: number
}

/** Market, entity, `as_of`, day and accession of the last filing, data version. */
const positions = new PositionCursors(
  Type.Tuple([
    Type.String(),
    Type.Union([Type.Integer(), Type.Null()]),
    Type.String(),
    Type.String(),
    Type.String(),
    Type.Integer(),
  ]),
)

/** Encodes a position as signed text. */
export const encodeCursor = (
  cursors: CursorSigner,
  scope: CursorScope,
  { market, entityId, asOf }: ListOfPages,
  { position: { filed, accession }, dataVersion }: PagePosition,
): string => positions.write(cursors, scope, [market, entityId, asOf, filed, accession, dataVersion])

/** The position in a cursor, which must belong to the same list. */
export function decodeCursor(
  cursors: CursorSigner,
  scope: CursorScope,
  cursor: string,
  list: ListOfPages,
): PagePosition {
  const [market, entityId, asOf, filed, accession, dataVersion] = positions.read(cursors, scope, cursor)
  if (market !== list.market || entityId !== list.entityId) {
    throw refusedCursor('cursor belongs to another market or company. Omit cursor for the first page.')
  }
  if (asOf !== list.asOf) {
    throw refusedCursor(
      `cursor belongs to a page as of ${asOf}, not ${list.asOf}. Send as_of=${asOf} with it, or omit cursor for the first page.`,
    )
  }
  return { position: { filed, accession }, dataVersion }
}
