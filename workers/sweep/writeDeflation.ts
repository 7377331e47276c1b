import type { SweptFields } from '../../src/model/backtestSwept.ts'
import type { Deflation } from '../../src/quant/deflateWinner.ts'
import { finiteOrNull } from '../backtest/writeResult.ts'

export function writeDeflation(deflation: Deflation): SweptFields['deflated_sharpe'] {
  return {
    dsr: finiteOrNull(deflation.dsr),
    survives: deflation.survives,
    trials: deflation.trials,
    sharpe_per_period: finiteOrNull(deflation.sharpePerPeriod),
    sharpe_threshold: deflation.sharpeThreshold,
    trials_variance: deflation.trialsVariance,
    skew: finiteOrNull(deflation.skew),
    kurtosis_raw: finiteOrNull(deflation.kurtosisRaw),
    n_periods: deflation.periods,
    trials_effective: deflation.trialsEffective,
    dsr_effective: finiteOrNull(deflation.dsrEffective),
    psr: finiteOrNull(deflation.psr),
    min_track_record_periods: finiteOrNull(deflation.minTrackRecordPeriods),
    pbo: finiteOrNull(deflation.pbo),
  }
}
