import { Failure } from '../errors.ts'
import type { DataFormat } from '../formats/columns.ts'
import { rowMediaTypes } from '../formats/mediaTypes.ts'
import type { RequestContext } from './context.ts'

/** The weights in Accept by media range. */
function weightsOf(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = item.split(';').map(part => part.trim())
    const q = parameters.find(parameter => /^q\s*=/.test(parameter))?.split('=')[1]
    const weight = q === undefined ? 1 : Number(q)
    if (weight >= 0 && weight <= 1) weights.set(type, weight)
  }
  return weights
}

/** Whether Accept prefers HTML to JSON. Browsers do; a bare wildcard does not, so curl gets JSON. */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null || accept === '') return false
  const weights = weightsOf(accept)
  const weightOf = (type: string, group: string) =>
    weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0
  return weightOf('text/html', 'text/*') > weightOf('application/json', 'application/*')
}

/** The media types of each format, JSON first. */
type FormatTypes<Format extends string> = Readonly<Record<Format, readonly string[]>>

/** The format of rows that Accept prefers (RFC 9110 section 12.5.1). On a tie, an exact media type beats a
 * range. If no format is acceptable, the response is JSON, as the RFC allows: a header that a program adds
 * on its own must not make its requests fail. */
export function acceptedFormat(accept: string | null): DataFormat
export function acceptedFormat<Format extends string>(
  accept: string | null,
  types: FormatTypes<Format>,
): Format | 'json'
export function acceptedFormat(accept: string | null, types: FormatTypes<string> = rowMediaTypes): string {
  if (accept === null || accept === '' || accept === '*/*' || accept === 'application/json') return 'json'
  const weights = weightsOf(accept)
  let best: { format: string; weight: number; isNamed: boolean } | null = null
  // JSON comes first because it wins ties.
  const formatTypes = Object.entries(types).flatMap(([format, names]) =>
    names.map(type => ({ format, type })),
  )
  for (const { format, type } of formatTypes) {
    const named = weights.get(type)
    const weight = named ?? weights.get(type.replace(/\/.*/, '/*')) ?? weights.get('*/*') ?? 0
    if (weight === 0) continue
    const isNamed = named !== undefined
    const isBetter =
      best === null || weight > best.weight || (weight === best.weight && isNamed && !best.isNamed)
    if (isBetter) best = { format, weight, isNamed }
  }
  return best?.format ?? 'json'
}

/** Adds the format that Accept prefers, unless the query has one already. */
export function withAcceptedFormat<Query extends { readonly format?: DataFormat }>(
  { request }: RequestContext,
  query: Query,
): Query {
  if (query.format !== undefined) return query
  const format = acceptedFormat(request.headers.get('accept'))
  return format === 'json' ? query : { ...query, format }
}

/** Whether Prefer contains `respond-async` (RFC 7240). Unknown preferences are ignored, as the RFC
 * requires. */
export function prefersAsync(header: string | null): boolean {
  if (header === null) return false
  return header.split(',').some(item => item.split(';')[0].trim().toLowerCase() === 'respond-async')
}

const shape = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key header; null if it is missing. */
export function idempotencyKey(headers: Headers): string | null {
  const sent = headers.get('idempotency-key')
  if (sent === null || shape.test(sent)) return sent
  throw new Failure(
    'parameter_invalid',
    'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces, for example a new UUID.',
    { param: 'Idempotency-Key' },
  )
}
