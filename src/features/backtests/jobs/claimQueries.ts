import type { Sql } from '../../../postgres/client.ts'

export interface Claim {
  readonly keyId: number
  /** The Idempotency-Key as sent. */
  readonly name: string
  /** Of the whole request. */
  readonly digest: Uint8Array
  readonly processId: string
}

export type Claimed =
  | { readonly kind: 'mine' }
  /** For another request. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'in_flight' }
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array<ArrayBuffer> }

/** Claims an Idempotency-Key, or says what became of it. A claim in flight whose process is silent is taken over, and
 * so is one that is older than `hours`. */
export async function claimKey(
  sql: Sql,
  { keyId, name, digest, processId }: Claim,
  hours: number,
  silentMs: number,
): Promise<Claimed> {
  const mine = await sql`
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
  if (mine.count > 0) return { kind: 'mine' }
  const [found] = await sql<{ same: boolean; jobId: string | null; answer: Buffer | null }[]>`
    select digest = ${digest} as same, job_id as "jobId", answer
    from idempotency_claim where key_id = ${keyId} and name = ${name}`
  // It went between the two statements: whoever had it gave it up, and may be asked once more.
  if (!found) return { kind: 'in_flight' }
  if (!found.same) return { kind: 'reused' }
  if (found.jobId !== null) return { kind: 'job', jobId: found.jobId }
  if (found.answer === null) return { kind: 'in_flight' }
  return { kind: 'answer', bytes: new Uint8Array(await Bun.zstdDecompress(found.answer)) }
}

/** Keeps the answer of a claimed request, and of the key's answers the latest `most`. */
export async function keepAnswer(
  sql: Sql,
  { keyId, name }: Claim,
  bytes: Uint8Array,
  most: number,
): Promise<void> {
  const answer = await Bun.zstdCompress(bytes)
  await sql.begin(async transaction => {
    await transaction`update idempotency_claim set answer = ${answer} where key_id = ${keyId} and name = ${name}`
    await transaction`
      delete from idempotency_claim where key_id = ${keyId} and answer is not null and claimed_at < (
        select claimed_at from idempotency_claim where key_id = ${keyId} and answer is not null
        order by claimed_at desc offset ${most - 1} limit 1)`
  })
}

/** Gives up a claim that led to nothing: the same request may come again. */
export async function giveUpClaim(sql: Sql, { keyId, name, processId }: Claim): Promise<void> {
  await sql`
    delete from idempotency_claim
    where key_id = ${keyId} and name = ${name} and process_id = ${processId} and job_id is null and answer is null`
}
