import type { DataFormat } from './columns.ts'

/** The media types of rows in request bodies, Accept and responses. Responses and the documentation use the
 * first one; the others are names that libraries use for the same format. `application/vnd.apache.parquet`
 * is the registered name of Parquet; NDJSON has none. */
export const rowMediaTypes: Readonly<Record<DataFormat, readonly [string, ...string[]]>> = {
  json: ['application/json'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  parquet: ['application/vnd.apache.parquet', 'application/parquet', 'application/x-parquet'],
}

/** The formats of a join's answer. */
export const joinMediaTypes: Readonly<Record<DataFormat | 'arrow', readonly [string, ...string[]]>> = {
  ...rowMediaTypes,
  arrow: ['application/vnd.apache.arrow.stream'],
}

/** The media types of request bodies. Programs that do not know Parquet send it as
 * `application/octet-stream`, while text would arrive under a text type. So such a body is read as Parquet,
 * and the reader reports bytes that are not. */
export const bodyMediaTypes: typeof joinMediaTypes = {
  ...joinMediaTypes,
  parquet: [...rowMediaTypes.parquet, 'application/octet-stream'],
}
