import type { Sql, Statements } from '../database.ts'

const partBytes = 4 * 1_024 * 1_024
/** Fast rather than small: a body lies here for minutes. */
const level = 1

/** Stores a body in compressed pieces. */
export async function storeBody(
  statements: Statements,
  jobId: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  for (let at = 0, part = 0; at < body.length; at += partBytes, part++) {
    const bytes = await Bun.zstdCompress(body.subarray(at, at + partBytes), { level })
    await statements`insert into job_body (job_id, part, bytes) values (${jobId}, ${part}, ${bytes})`
  }
}

/** A body of `size` bytes, whole, in memory of its own; null where it is no longer there. */
export async function readBody(
  sql: Sql,
  jobId: string,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const body = new Uint8Array(size)
  let at = 0
  const pieces = sql<{ bytes: Buffer }[]>`select bytes from job_body where job_id = ${jobId} order by part`
  for await (const [{ bytes }] of pieces.cursor(1)) {
    const piece = await Bun.zstdDecompress(bytes)
    body.set(piece, at)
    at += piece.length
  }
  return at === size ? body : null
}
