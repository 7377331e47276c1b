import { archiveOf } from '../../compute/heldArchive.ts'
import type { ArchiveInput } from '../../compute/protocol.ts'
import { Failure } from '../../errors.ts'
import type { BacktestSource } from '../../model/backtest.ts'
import type { KeyLicence } from '../../store/keys/readLicence.ts'
import type { Markets } from '../markets/loadMarkets.ts'
import { planScore } from './planScore.ts'
import type { ScoreCache } from './ScoreCache.ts'

/** The archive ranked by a figure, and what that figure is. */
export type ScoredArchive = Required<Pick<ArchiveInput, 'data' | 'dataVersion' | 'score'>>

export interface OpenScoredDeps {
  readonly markets: Pick<Markets, 'metrics' | 'codes' | 'get'>
  readonly scores: Pick<ScoreCache, 'get'>
  /** What the key was sold, as it is now: a job is run long after its request. */
  readonly licenceOf: (keyId: number) => Promise<KeyLicence | null>
  /** Notes that a capped key sees all these companies; false: they would be more than its cap, and none is noted. */
  readonly recordEntities: (keyId: number, entityIds: readonly number[], cap: number) => Promise<boolean>
}

/** The archive of a source that ranks by a figure. Its result tells of the figures of every company in it on every date, so
 * the key's licence has to open `as_of` for all companies, and one with a cap sees them all. */
export async function openScored(
  { markets, scores, licenceOf, recordEntities }: OpenScoredDeps,
  keyId: number,
  source: BacktestSource,
): Promise<ScoredArchive> {
  const plan = planScore(markets, source)
  const { licence, entityCap } = (await licenceOf(keyId)) ?? { licence: 'free', entityCap: null }
  if (licence === 'free' || licence === 'demo') throw refused(plan.metric, licence)
  const { market, metric, unit, max_age_days: maxAgeDays } = plan
  const { horizon } = archiveOf(source)
  const found = await scores.get({ horizon, market, metric, unit, maxAgeDays })
  if (entityCap !== null && !(await recordEntities(keyId, found.entityIds, entityCap)))
    throw capReached(plan.market, found.entityIds.length, entityCap)
  const { attribution, ...before } = plan
  return {
    data: found.data,
    dataVersion: found.dataVersion,
    score: { ...before, n_names: found.names, n_assets: found.assets, attribution },
  }
}

function refused(metric: string, licence: string): Failure {
  return new Failure(
    'licence_required',
    `source.score (${metric}) ranks by what was known of every company on every date. It needs an evaluation key or a Personal or Commercial data licence; this key has the quant plan with the ${licence} licence. Leave source.score out to rank by the forecasts.`,
    { param: 'source.score' },
  )
}

function capReached(market: string, companies: number, cap: number): Failure {
  return new Failure(
    'entity_cap_reached',
    `The archive of market ${market} ranks ${companies.toLocaleString('en-US')} companies by source.score, and with those that this key has seen before they are more than its ${cap.toLocaleString('en-US')} distinct entities. None was counted. A Personal or Commercial data licence opens all.`,
    { param: 'source.score' },
  )
}
