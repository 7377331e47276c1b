import type { ArchiveInput } from '../../src/compute/protocol.ts'
import type { SweepPlan } from '../../src/compute/sweepPlan.ts'
import { archiveBasis } from '../backtest/runArchiveBacktest.ts'
import { planSweep } from './planSweep.ts'

export function planArchiveSweep(input: ArchiveInput): SweepPlan {
  const { config, sweep, include } = input.request
  return planSweep(archiveBasis(input), config, sweep || true, include, input.costs)
}
