import type { JoinBodyInput } from '../../backtest/asOf/joinBody.ts'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import { noticeHeaders } from '../../formats/notices.ts'
import { contentTypes, dataHeaders } from '../../http/answers.ts'
import { entityTag } from '../../http/etag.ts'
import { asFile } from '../../http/fileName.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Principal } from '../../rights/licences.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { noteOf } from './description.ts'
import type { JoinAnswer } from './join.ts'

/** A join as received: its unparsed body and the settings of its query. */
export type SentJoin = Omit<JoinBodyInput, 'today'>

/** Identifies everything that determines a response's bytes, except for the data version. */
export const joinTag = (
  { licence }: Pick<Principal, 'licence'>,
  { body, format: bodyFormat, query }: SentJoin,
  format: JoinFormat,
): string => `as-of ${licence} ${bodyFormat} ${format} ${JSON.stringify(query)} ${Bun.hash.xxHash64(body)}`

/** The response's headers. They carry the notes that formats of rows have no field for. */
export function joinHeaders(
  markets: Markets,
  { about, dataVersion, metrics }: Pick<JoinAnswer, 'about' | 'dataVersion' | 'metrics'>,
  format: JoinFormat,
  tag: string,
): Record<string, string> {
  const terms = termsOf(markets, about.markets)
  const { licence } = about
  return {
    ...dataHeaders(contentTypes[format], entityTag(dataVersion, tag)),
    ...asFile(format, 'as-of', metrics, about.fp),
    ...(format === 'json'
      ? {}
      : noticeHeaders({
          attribution: about.attribution,
          note: noteOf(about),
          registerTerms: terms.registerTerms,
          licence: licence === undefined ? null : { text: licence, address: terms.licenceAddress },
        })),
  }
}

const chunkBytes = 512 * 1_024

/** Copies, because a body cannot be sent from shared memory. */
export async function* chunksOf(bytes: Uint8Array, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes)
      yield new Uint8Array(bytes.subarray(at, at + chunkBytes))
  } finally {
    release()
  }
}
