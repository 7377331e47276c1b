import { Failure } from '../../errors.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'

interface NewResult {
  readonly headers: Readonly<Record<string, string>>
  /** In shared memory. */
  readonly bytes: Uint8Array
  readonly signal: AbortSignal
}

/** A reader holds one part at a time. */
const partBytes = 4 * 1_024 * 1_024
const mb = 1_024 * 1_024
/** Of one result, compressed. */
const maxResultBytes = 256 * mb
/** Of all results of one key, compressed: the oldest are deleted first. */
const maxKeyBytes = 2_048 * mb

/** Stores a result in compressed parts. Two processes may do so at a time: the second waits for the first, part by part, and the job ends
 * once. */
export async function storeResult(
  transaction: SqlClient,
  jobId: string,
  { headers, bytes, signal }: NewResult,
  limit: number = maxResultBytes,
): Promise<void> {
  let part = 0
  let storedBytes = 0
  for (let at = 0; at < bytes.length; at += partBytes, part++) {
    signal.throwIfAborted()
    // A copy, because shared memory can be neither compressed nor sent.
    const compressed = await Bun.zstdCompress(new Uint8Array(bytes.subarray(at, at + partBytes)))
    storedBytes += compressed.length
    if (storedBytes > limit) throw tooLarge(limit)
    await transaction`
      insert into as_of_part (job_id, part, bytes) values (${jobId}, ${part}, ${compressed}) on conflict do nothing`
  }
  await transaction`
    insert into as_of_result (job_id, headers, parts, stored_bytes)
    values (${jobId}, ${JSON.stringify(headers)}::text::json, ${part}, ${storedBytes}) on conflict do nothing`
  await deleteOldResults(transaction, jobId)
}

function tooLarge(limit: number): Failure {
  return new Failure(
    'body_invalid',
    `The result has more than ${limit / mb} MB compressed, which is the limit of a stored result. Send fewer rows or metrics, or format=parquet, which is several times smaller.`,
    { param: 'rows' },
  )
}

/** Deletes the oldest joins of the key whose results, with this one, exceed its share. */
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

/** The bytes of a result. Each part is a statement of its own: a slow reader must not hold a connection. */
export async function* readParts(
  sql: Sql,
  jobId: string,
  parts: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let part = 0; part < parts; part++) {
    const [row] = await sql<{ bytes: Buffer }[]>`
      select bytes from as_of_part where job_id = ${jobId} and part = ${part}`
    if (row === undefined) throw new Failure('entity_unknown', 'The result has been deleted meanwhile.')
    yield new Uint8Array(await Bun.zstdDecompress(row.bytes))
  }
}
