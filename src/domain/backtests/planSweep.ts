import type { ComputePool, RunOptions } from '../../compute/ComputePool.ts'
import type { ArchiveRequest } from '../../compute/protocol.ts'
import type { SweepPlan } from '../../compute/sweepPlan.ts'
import type { MarketCosts } from '../../model/marketCosts.ts'
import type { Dataset } from '../../quant/dataset.ts'

/** A sweep of the archive, resolved and cut into slices. Deterministic: another process that loads the same data version
 * makes the same plan. */
export function planSweep(
  pool: ComputePool,
  input: { data: Dataset; dataVersion: number; request: ArchiveRequest; costs: MarketCosts },
  options: Pick<RunOptions, 'signal' | 'visit'> = {},
): Promise<SweepPlan> {
  return pool.run('sweep_plan', input, options)
}
