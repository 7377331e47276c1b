import { noticeHeaders } from '../../formats/notices.ts'
import { contentTypes, dataHeaders, jsonType, pageHeaders } from '../../http/answers.ts'
import { entityTag } from '../../http/etag.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Principal } from '../../rights/licences.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { reportPage } from './report.ts'
import { reportPolicy } from './reportStyle.ts'
import type { AuditAnswer, SentAudit } from './runAudit.ts'
import type { AuditFormat, AuditHead } from './schema.ts'

/** Identifies everything that determines a response's bytes, except for the data version. Only the quant plan has premiums. */
export const auditTag = (
  { licence, quant }: Pick<Principal, 'licence' | 'quant'>,
  { body, format: bodyFormat, query }: SentAudit,
): string => `audit ${licence} ${quant} ${bodyFormat} ${JSON.stringify(query)} ${Bun.hash.xxHash64(body)}`

/** One audit in one format. */
export interface WrittenAudit {
  readonly headers: Readonly<Record<string, string>>
  /** In order. Those of the rows are in shared memory. */
  readonly parts: readonly Uint8Array[]
}

const encoder = new TextEncoder()

/** The response of an audit in a format. Rows that were not written as JSON are absent from it. */
export function writeAudit(
  markets: Markets,
  { head, dataVersion, markets: codes, rows }: Omit<AuditAnswer, 'release'>,
  format: AuditFormat,
  tag: string,
): WrittenAudit {
  const etag = entityTag(dataVersion, `${format} ${tag}`)
  if (format === 'html')
    return { headers: pageHeaders(reportPolicy, etag), parts: [encoder.encode(reportPage(head))] }
  const own = rows[format]
  if (format === 'json') {
    const report = JSON.stringify(head)
    const parts =
      own === undefined
        ? [encoder.encode(report)]
        : [encoder.encode(`${report.slice(0, -1)},"rows":`), own, encoder.encode('}')]
    return { headers: dataHeaders(jsonType, etag), parts }
  }
  if (own === undefined) throw new Error(`The rows of an audit were not written as ${format}.`)
  const terms = termsOf(markets, codes)
  const { licence } = head
  return {
    headers: {
      ...dataHeaders(contentTypes[format], etag),
      'Content-Disposition': `attachment; filename="audit.${format}"`,
      ...noticeHeaders({
        attribution: head.attribution,
        note: noteOf(head),
        registerTerms: terms.registerTerms,
        licence: licence === undefined ? null : { text: licence, address: terms.licenceAddress },
      }),
    },
    parts: [own],
  }
}

/** The note for formats that have no field for the report. */
function noteOf({ counts, ignored }: AuditHead): string {
  const found = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count.toLocaleString('en')} ${state}`)
  const left = ignored.length === 0 ? '' : ` Not audited: ${ignored.slice(0, 20).join(', ')}.`
  return `Audited cells: ${found.join(', ')}.${left}`
}
