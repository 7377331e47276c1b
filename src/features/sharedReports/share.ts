import { makeToken, tokenDigest } from '../../access/cookies.ts'
import { paidKey } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { ResultParts } from '../../backtest/report/resultParts.ts'
import { Failure } from '../../errors.ts'
import type { Job } from '../../jobs/job.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql } from '../../postgres/client.ts'
import { readResult } from '../backtests/submitted/results.ts'
import { openMarkets } from '../bulk/openMarkets.ts'
import { deleteShare, insertShare, type SharedReport } from './queries.ts'
import { maxOpenReports } from './schema.ts'

export interface ShareDeps {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly markets: Pick<Markets, 'manifests'>
  readonly settings: { readonly baseUrl: string; readonly allowUnverifiedMarkets: readonly string[] }
}

export interface NewlyShared {
  readonly report: SharedReport
  /** The public address, which nobody can read again: only the digest of its token is stored. */
  readonly url: string
}

export const sharedPath = (token: string): string => `/shared/${token}`

/** Makes a public address for the report of a backtest. The caller has checked whose backtest it is. */
export async function shareReport(
  deps: ShareDeps,
  job: Job,
  days: number,
  address: string,
): Promise<NewlyShared> {
  const { sql, pool, settings } = deps
  const result = job.state === 'succeeded' ? await readResult(sql, job.id) : null
  if (result === null) throw noReport(job)
  const caller = paidKey(job.keyId)
  const parts = await pool.tasks.readResultParts({ result }, { caller })
  const refusal = sharingRefusal(deps, parts)
  if (refusal !== null) throw refusal
  const { figureMarkets: markets } = parts
  const token = makeToken()
  const digest = tokenDigest(token)
  const report = await insertShare(
    sql,
    { keyId: job.keyId, jobId: job.id, digest, markets, days, address },
    maxOpenReports,
  )
  if (report === 'gone') throw noReport(job)
  if (report === 'full') {
    throw new Failure(
      'conflict',
      `This key already has ${maxOpenReports} public addresses of reports. Revoke one, or wait until one expires.`,
    )
  }
  return { report, url: `${settings.baseUrl}${sharedPath(token)}` }
}

/** The reason why nobody may make this report public; null if its owner may. */
export function sharingRefusal(
  deps: Pick<ShareDeps, 'markets' | 'settings'>,
  { figureMarkets, priceSet }: Pick<ResultParts, 'figureMarkets' | 'priceSet'>,
): Failure | null {
  if (priceSet !== null) return pricesNotToBePassedOn(priceSet)
  const closed = figureMarkets.filter(market => !mayBePassedOn(deps, [market]))
  return closed.length > 0 ? notToBePassedOn(closed) : null
}

/** Closes a public address at once. */
export async function revokeShare(
  sql: Sql,
  { id, keyId }: Job,
  shareId: string,
  address: string,
): Promise<void> {
  if (await deleteShare(sql, { keyId, jobId: id, shareId, address })) return
  throw new Failure(
    'entity_unknown',
    `This backtest has no shared report ${shareId}: it has expired, was revoked or never existed. GET /api/v1/backtests/${id}/shares lists those that are open.`,
    { param: 'share' },
  )
}

/** Whether figures of these markets may be passed on, as for bulk files. */
export function mayBePassedOn(
  { markets, settings }: Pick<ShareDeps, 'markets' | 'settings'>,
  codes: readonly string[],
): boolean {
  const open = openMarkets(markets.manifests, settings.allowUnverifiedMarkets)
  return codes.every(code => open.some(manifest => manifest.code === code))
}

function noReport({ id, state, finishedAt }: Job): Failure {
  if (finishedAt === null)
    return new Failure('conflict', `Backtest ${id} is ${state}: it has no report to share yet.`, {
      retryAfterSeconds: 1,
    })
  return new Failure('conflict', `Backtest ${id} has no report to share: it is ${state}.`, { param: 'id' })
}

const notToBePassedOn = (codes: readonly string[]) =>
  new Failure(
    'licence_required',
    `This report ranks companies by figures of ${codes.join(', ')}. This project has not verified that the terms of the register allow passing them on, so the report cannot be made public. The operator may allow it with ALLOW_UNVERIFIED_MARKETS.`,
    { param: 'id' },
  )

const pricesNotToBePassedOn = (set: string) =>
  new Failure(
    'licence_required',
    `This report uses the price set ${set}, which only some keys may see, so it cannot be made public. A backtest with scores and returns of your own can be shared.`,
    { param: 'id' },
  )
