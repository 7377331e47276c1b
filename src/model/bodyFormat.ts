/** How rows can be written in a body. */
export const bodyFormats = ['json', 'csv', 'ndjson'] as const
export type BodyFormat = (typeof bodyFormats)[number]

/** The first media type of each is the one that documents name. */
export const mediaTypes: Readonly<Record<BodyFormat, readonly string[]>> = {
  json: ['application/json'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
}

/** The fields of a request whose body has room for rows only, as a query writes them. */
export interface BodyQuery {
  /** JSON. */
  readonly config?: string
  /** JSON. */
  readonly sweep?: string
  /** Names with commas between them. */
  readonly include?: string
}

/** A body as it came, and what was said about it. */
export interface SentBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
}
