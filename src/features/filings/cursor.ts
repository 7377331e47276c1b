import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type CursorScope, type CursorSigner, notValid, refusedCursor } from '../../http/cursor.ts'
import type { FilingPosition, FilingScope } from './queries.ts'

/** The list that a page is of. Pages of two lists must not be put together. */
type ListOfPages = Pick<FilingScope, 'market' | 'entityId' | 'asOf'>

interface Place {
  readonly position: FilingPosition
  /** Of the first page. */
  readonly dataVersion: number
}

/** A position as signed text. */
export function encodeCursor(
  cursors: CursorSigner,
  scope: CursorScope,
  { market, entityId, asOf }: ListOfPages,
  { position, dataVersion }: Place,
): string {
  const parts = [market, entityId, asOf, position.filed, position.accession, dataVersion]
  return cursors.write(scope, JSON.stringify(parts))
}

const Parts = Type.Tuple([
  Type.String(),
  Type.Union([Type.Integer(), Type.Null()]),
  Type.String(),
  Type.String(),
  Type.String(),
  Type.Integer(),
])

/** The position that a cursor names. It has to belong to the same list. */
export function decodeCursor(
  cursors: CursorSigner,
  scope: CursorScope,
  cursor: string,
  list: ListOfPages,
): Place {
  const parts: unknown = JSON.parse(cursors.read(scope, cursor))
  if (!Value.Check(Parts, parts)) throw notValid()
  const [market, entityId, asOf, filed, accession, dataVersion] = parts
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
