import { Failure } from '../../errors.ts'

const most = 2_147_483_647

/** A place among the companies of a market as an opaque text. */
export function writePlace(market: string, entityId: number): string {
  return Buffer.from(`${market} ${entityId}`).toString('base64url')
}

/** The entity after which to continue. */
export function readPlace(cursor: string, market: string): number {
  const [, code = '', digits = ''] =
    /^([A-Z]{2}) (\d{1,10})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  const entityId = Number(digits)
  if (code === '' || entityId > most || writePlace(code, entityId) !== cursor) {
    throw refused(
      'cursor is not one that this service gave out. Send the `next` of the page before unchanged, or leave it out for the first page.',
    )
  }
  if (code === market) return entityId
  throw refused(`cursor belongs to a page of market ${code}, not ${market}. Leave it out for the first page.`)
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'cursor' })
