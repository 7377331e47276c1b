import { type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { FilingPosition, FilingScope } from './queries.ts'

/** The list that a page is of. Pages of two lists must not be put together. */
type ListOfPages = Pick<FilingScope, 'market' | 'entityId' | 'asOf'>

interface Place {
  readonly position: FilingPosition
  /** Of the first page. */
  readonly dataVersion: number
}

/** A position as opaque text. */
export function encodeCursor(
  { market, entityId, asOf }: ListOfPages,
  { position, dataVersion }: Place,
): string {
  const parts = [market, entityId, asOf, position.filed, position.accession, dataVersion]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The position that a cursor names. It has to belong to the same list. */
export function decodeCursor(cursor: string, list: ListOfPages): Place {
  const parts = parse(cursor)
  if (parts === null) {
    throw refused(
      'cursor is not valid. Send the `next` of the previous page unchanged, or omit cursor for the first page.',
    )
  }
  const { asOf, entityId, market, ...place } = parts
  if (market !== list.market || entityId !== list.entityId) {
    throw refused('cursor belongs to another market or company. Omit cursor for the first page.')
  }
  if (asOf !== list.asOf) {
    throw refused(
      `cursor belongs to a page as of ${asOf}, not ${list.asOf}. Send as_of=${asOf} with it, or omit cursor for the first page.`,
    )
  }
  return place
}

function parse(cursor: string): (Place & ListOfPages) | null {
  if (!/^[\w-]{1,400}$/.test(cursor)) return null
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== 6) return null
  const [market, entityId, asOf, filed, accession, dataVersion]: unknown[] = parts
  if (typeof market !== 'string' || !/^[A-Z]{2}$/.test(market)) return null
  if (entityId !== null && !isNumber(entityId)) return null
  if (!isDay(asOf) || !isDay(filed) || !isNumber(dataVersion)) return null
  if (typeof accession !== 'string' || !/^[\x20-\x7e]{1,200}$/.test(accession)) return null
  return { market, entityId, asOf, position: { filed, accession }, dataVersion }
}

const isDay = (value: unknown): value is IsoDate => typeof value === 'string' && isIsoDate(value)
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'cursor' })
