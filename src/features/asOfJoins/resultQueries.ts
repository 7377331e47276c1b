import { Failure } from '../../errors.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'

interface NewResult {
  readonly headers: Readonly<Record<string, string>>
  /** In shared memory. */
  readonly bytes: Uint8Array
  readonly signal: AbortSignal
}

/** One of several results of a job. */
interface NamedResult {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly parts: readonly Uint8Array[]
}

/** The size of the parts in which a result is stored. A reader holds one of them at a time. */
const partBytes = 4 * 1_024 * 1_024
const mb = 1_024 * 1_024
/** The limit for one result, compressed. */
const maxResultBytes = 256 * mb
/** The limit for all results of one key, compressed. The oldest are deleted first. */
const maxKeyBytes = 2_048 * mb

/**
 * Stores a result in compressed parts. If two processes do so at once, the second waits for the first at each
 * part, and the job ends only once.
 */
export async function storeResult(
  transaction: SqlClient,
  jobId: string,
  { headers, bytes, signal }: NewResult,
  limit: number = maxResultBytes,
): Promise<void> {
  const stored = await storeParts(transaction, jobId, bytes, { part: 0, storedBytes: 0, limit, signal })
  await finishResult(transaction, jobId, headers, stored)
}

interface Stored {
  readonly part: number
  readonly storedBytes: number
}

/** Stores bytes as further parts of a result. */
async function storeParts(
  transaction: SqlClient,
  jobId: string,
  bytes: Uint8Array,
  { part, storedBytes, limit, signal }: Stored & { readonly limit: number; readonly signal: AbortSignal },
): Promise<Stored> {
  let [next, stored] = [part, storedBytes]
  for (let at = 0; at < bytes.length; at += partBytes, next++) {
    signal.throwIfAborted()
    // Copies the part, because shared memory can be neither compressed nor sent.
    const compressed = await Bun.zstdCompress(new Uint8Array(bytes.subarray(at, at + partBytes)))
    stored += compressed.length
    if (stored > limit) throw tooLarge(limit)
    await transaction`
      insert into as_of_part (job_id, part, bytes) values (${jobId}, ${next}, ${compressed}) on conflict do nothing`
  }
  return { part: next, storedBytes: stored }
}

async function finishResult(
  transaction: SqlClient,
  jobId: string,
  headers: object,
  { part, storedBytes }: Stored,
): Promise<void> {
  await transaction`
    insert into as_of_result (job_id, headers, parts, stored_bytes)
    values (${jobId}, ${JSON.stringify(headers)}::text::json, ${part}, ${storedBytes}) on conflict do nothing`
  await deleteOldResults(transaction, jobId)
}

/** Stores several results of one job. `headers` of the job then has, by name, the headers and the parts of each. */
export async function storeResults(
  transaction: SqlClient,
  jobId: string,
  results: readonly NamedResult[],
  signal: AbortSignal,
  limit: number = maxResultBytes,
): Promise<void> {
  let stored: Stored = { part: 0, storedBytes: 0 }
  const index: Record<string, NamedParts> = {}
  for (const { name, headers, parts } of results) {
    const first = stored.part
    for (const bytes of parts)
      stored = await storeParts(transaction, jobId, bytes, { ...stored, limit, signal })
    index[name] = { headers, first, parts: stored.part - first }
  }
  await finishResult(transaction, jobId, index, stored)
}

function tooLarge(limit: number): Failure {
  return new Failure(
    'body_invalid',
    `The result is larger than ${limit / mb} MB compressed, the limit for a stored result. Send fewer rows or metrics, or format=parquet, which is several times smaller.`,
    { param: 'rows' },
  )
}

/** Deletes the key's oldest joins until its results, including this one, are within the limit. */
async function deleteOldResults(transaction: SqlClient, jobId: string): Promise<void> {
  await transaction`
    delete from job where job_id <> ${jobId} and finished_at is not null and job_id in (
      select job_id from (
        select job_id, sum(stored_bytes) over (order by job_id desc) as total
        from job join as_of_result using (job_id)
        where key_id = (select key_id from job where job_id = ${jobId})
      ) ranked where total > ${maxKeyBytes})`
}

export interface StoredResult {
  readonly headers: Readonly<Record<string, string>>
  readonly parts: number
}

export async function findResult(sql: Sql, jobId: string): Promise<StoredResult | null> {
  const [row] = await sql<StoredResult[]>`select headers, parts from as_of_result where job_id = ${jobId}`
  return row ?? null
}

/** One of several results: its headers, and where its parts are. */
export interface NamedParts extends StoredResult {
  /** The number of its first part. */
  readonly first: number
}

export async function findNamedResult(sql: Sql, jobId: string, name: string): Promise<NamedParts | null> {
  const [row] = await sql<{ result: NamedParts | null }[]>`
    select headers -> ${name} as result from as_of_result where job_id = ${jobId}`
  return row?.result ?? null
}

/**
 * The bytes of a result. Each part is read by its own statement, so that a slow reader does not hold a
 * connection.
 */
export async function* readParts(
  sql: Sql,
  jobId: string,
  parts: number,
  first = 0,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let part = first; part < first + parts; part++) {
    const [row] = await sql<{ bytes: Buffer }[]>`
      select bytes from as_of_part where job_id = ${jobId} and part = ${part}`
    if (row === undefined) throw new Failure('entity_unknown', 'The result has since been deleted.')
    yield new Uint8Array(await Bun.zstdDecompress(row.bytes))
  }
}
