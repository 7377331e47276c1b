import { Failure } from '../../errors.ts'
import { type IsoDate, isIsoDate } from '../../model/date.ts'

/** A place among the companies of a market, and of what its pages are made. */
export interface MarketPlace {
  readonly market: string
  /** The entity after which to continue. */
  readonly entityId: number
  /** The day as of which the pages before were answered: those after it are of no other. */
  readonly asOf: IsoDate
  /** Of the first page. */
  readonly dataVersion: number
}

const most = 2_147_483_647

/** A place as an opaque text. */
export function writePlace({ market, entityId, asOf, dataVersion }: MarketPlace): string {
  return Buffer.from(`${market} ${entityId} ${asOf} ${dataVersion}`).toString('base64url')
}

/** The place that a cursor names, which has to be one of the same question. */
export function readPlace(cursor: string, market: string, asOf: IsoDate): MarketPlace {
  const place = parse(cursor)
  if (place === null) {
    throw refused(
      'cursor is not one that this service gave out. Send the `next` of the page before unchanged, or leave it out for the first page.',
    )
  }
  if (place.market !== market) {
    throw refused(
      `cursor belongs to a page of market ${place.market}, not ${market}. Leave it out for the first page.`,
    )
  }
  if (place.asOf === asOf) return place
  throw refused(
    `cursor belongs to a page as of ${place.asOf}, not ${asOf}: together they would mix what was known on two days. Send as_of=${place.asOf} with it, or leave it out for the first page.`,
  )
}

function parse(cursor: string): MarketPlace | null {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, market = '', digits = '', asOf = '', version = ''] =
    /^([A-Z]{2}) (\d{1,10}) (\d{4}-\d\d-\d\d) (\d{1,15})$/.exec(text) ?? []
  const place = { market, entityId: Number(digits), asOf, dataVersion: Number(version) }
  return isIsoDate(asOf) && place.entityId <= most && writePlace(place) === cursor ? place : null
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'cursor' })
