import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import { marketZone } from '../../markets/asOf.ts'
import type { Markets } from '../../markets/markets.ts'
import { emptyBlock, startsOf } from './moments.ts'
import type { StoredAnnouncement } from './queries.ts'

/**
 * Lays out the announcements of a block's companies as events: `days` are filing days, `values` instants of acceptance in
 * milliseconds since 1970 (NaN if unknown), `text` accession numbers. An announcement without an instant is known from
 * the end of the day in `ends`, in its market: the filing day or, if it was accepted later, the day of acceptance.
 */
export function buildAnnouncements(
  markets: Pick<Markets, 'get'>,
  firstEntity: number,
  read: readonly StoredAnnouncement[],
): EventBlock {
  const text = new TextEncoder().encode(read.map(({ accession }) => accession).join(''))
  const block = emptyBlock(firstEntity, startsOf(firstEntity, read), text.length)
  block.text.set(text)
  for (const [index, { market, accession, filed, acceptedAt }] of read.entries()) {
    block.days[index] = filed
    block.values[index] = acceptedAt ?? Number.NaN
    block.ends[index] =
      acceptedAt === null ? filed : Math.max(filed, marketZone(markets, market).dayAt(acceptedAt))
    // Registers write accession numbers in ASCII, so each character is a byte.
    block.textStarts[index + 1] = block.textStarts[index] + accession.length
  }
  return block
}
