import type { Sql } from '../postgres/client.ts'

export interface Claim {
  readonly keyId: number
  /** The Idempotency-Key as sent. */
  readonly name: string
  /** Of the whole request. */
  readonly digest: Uint8Array
  readonly processId: string
}

export type ClaimOutcome =
  | { readonly kind: 'acquired' }
  /** The key belongs to another request. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'in_flight' }
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array<ArrayBuffer> }

/** Claims an Idempotency-Key, or returns what an earlier claim led to. A claim in flight is taken over if its process is
 * silent, and any claim that is older than `hours`. */
export async function claimKey(
  sql: Sql,
  { keyId, name, digest, processId }: Claim,
  hours: number,
  silentMs: number,
): Promise<ClaimOutcome> {
  const acquired = await sql`
    insert into idempotency_claim as c (key_id, name, digest, process_id)
    values (${keyId}, ${name}, ${digest}, ${processId})
    on conflict (key_id, name) do update
      set digest = excluded.digest, process_id = excluded.process_id, claimed_at = now(), job_id = null, answer = null
      where c.claimed_at < now() - ${hours} * interval '1 hour'
        or (
          c.job_id is null and c.answer is null and c.process_id <> excluded.process_id
          and not exists (
            select from job_process p
            where p.process_id = c.process_id and p.seen_at > now() - ${silentMs} * interval '1 ms'))`
  if (acquired.count > 0) return { kind: 'acquired' }
  const [found] = await sql<{ same: boolean; jobId: string | null; answer: Buffer | null }[]>`
    select digest = ${digest} as same, job_id as "jobId", answer
    from idempotency_claim where key_id = ${keyId} and name = ${name}`
  // The claim was released between the two statements: the next attempt can acquire it.
  if (!found) return { kind: 'in_flight' }
  if (!found.same) return { kind: 'reused' }
  if (found.jobId !== null) return { kind: 'job', jobId: found.jobId }
  if (found.answer === null) return { kind: 'in_flight' }
  return { kind: 'answer', bytes: new Uint8Array(await Bun.zstdDecompress(found.answer)) }
}

/** Stores the answer of a claimed request, and deletes all but the latest `maxAnswers` answers of its key. */
export async function storeAnswer(
  sql: Sql,
  { keyId, name }: Claim,
  bytes: Uint8Array,
  maxAnswers: number,
): Promise<void> {
  const answer = await Bun.zstdCompress(bytes)
  await sql.begin(async transaction => {
    await transaction`update idempotency_claim set answer = ${answer} where key_id = ${keyId} and name = ${name}`
    await transaction`
      delete from idempotency_claim where key_id = ${keyId} and answer is not null and claimed_at < (
        select claimed_at from idempotency_claim where key_id = ${keyId} and answer is not null
        order by claimed_at desc offset ${maxAnswers - 1} limit 1)`
  })
}

/** Releases a claim that has led to nothing, so that the same request can be sent again. */
export async function releaseClaim(sql: Sql, { keyId, name, processId }: Claim): Promise<void> {
  await sql`
    delete from idempotency_claim
    where key_id = ${keyId} and name = ${name} and process_id = ${processId} and job_id is null and answer is null`
}
