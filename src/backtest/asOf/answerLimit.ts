import { Failure } from '../../errors.ts'

/** Returns the size of a response, or fails if it exceeds the limit. The caller chooses the rows, metrics and
 * names, so any size can be requested. */
export function withinLimit(bytes: number, limit: number): number {
  if (bytes <= limit) return bytes
  const inMb = (count: number) => `${Math.ceil(count / 1_024 / 1_024).toLocaleString('en')} MB`
  throw new Failure(
    'body_invalid',
    `The response would be ${inMb(bytes)}; the limit is ${inMb(limit)}. Send fewer rows or metrics, or format=parquet, which is several times smaller.`,
    { param: 'rows' },
  )
}
