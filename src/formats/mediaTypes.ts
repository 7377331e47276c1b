import type { DataFormat } from './columns.ts'

/** The media types of rows, for request bodies, for Accept and for answers alike. Answers and the documentation name the first of each;
 * the others are what libraries call the same format: `application/vnd.apache.parquet` is the registered name of Parquet, NDJSON has none. */
export const rowMediaTypes: Readonly<Record<DataFormat, readonly [string, ...string[]]>> = {
  json: ['application/json'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  parquet: ['application/vnd.apache.parquet', 'application/parquet', 'application/x-parquet'],
}

/** Of a request body. Programs that do not know Parquet send it as unspecified bytes, and text would be sent as text: the reader says so
 * where the bytes are not Parquet. */
export const bodyMediaTypes: Readonly<Record<DataFormat, readonly [string, ...string[]]>> = {
  ...rowMediaTypes,
  parquet: [...rowMediaTypes.parquet, 'application/octet-stream'],
}
