import { Failure } from '../../errors.ts'

/** The size of an answer, or a failure where it is over the limit: its rows, metrics and names are chosen by the caller. */
export function withinLimit(bytes: number, limit: number): number {
  if (bytes <= limit) return bytes
  const inMb = (count: number) => `${Math.ceil(count / 1_024 / 1_024).toLocaleString('en')} MB`
  throw new Failure(
    'body_invalid',
    `The answer would have ${inMb(bytes)}; the limit is ${inMb(limit)}. Send fewer rows or metrics, or format=parquet, which is several times smaller.`,
    { param: 'rows' },
  )
}
