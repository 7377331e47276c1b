import type { ArchiveInput } from '../../src/compute/protocol.ts'
import { Failure } from '../../src/errors.ts'
import type { BacktestResult } from '../../src/model/backtestResult.ts'
import { dayNumber, isoDate } from '../../src/model/date.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { spacing } from '../../src/quant/spacing.ts'
import { type DateView, viewDates } from '../../src/quant/viewDates.ts'
import type { Basis } from './basis.ts'
import { resolveConfig } from './resolveConfig.ts'
import { runConfiguration } from './runConfiguration.ts'

/** A request for the archive, on the shared dataset of its horizon and market. */
export function runArchiveBacktest(input: ArchiveInput): BacktestResult {
  const { config, include } = input.request
  const { data, view, returnDays, spacing, warnings } = archiveBasis(input)
  const resolved = resolveConfig(config, returnDays, spacing)
  const result = runConfiguration(data, view, resolved, include, input.costs, warnings)
  return {
    ...result,
    data_version: input.dataVersion,
    ...(input.score === undefined ? {} : { score: input.score }),
  }
}

/** The part of the archive that a request asks for. */
export function archiveBasis({ data, request, dataVersion, score }: ArchiveInput): Basis {
  const { source } = request
  const view = viewDates(
    data,
    source.from ? dayNumber(source.from) : Number.NEGATIVE_INFINITY,
    source.to ? dayNumber(source.to) : Number.POSITIVE_INFINITY,
    source.limit ?? Number.POSITIVE_INFINITY,
  )
  if (view.endDate === view.firstDate) throw nothingThere(data, view)
  return {
    data,
    view,
    spacing: spacing(data.days.subarray(view.firstDate, view.endDate)),
    returnDays: Number.parseInt(source.horizon ?? '1d', 10),
    warnings: [],
    dataVersion,
    score,
  }
}

function nothingThere(data: Dataset, view: DateView): Failure {
  if (view.rowsOverLimit > 0) {
    const most = data.offsets[view.endDate] - data.offsets[view.endDate - 1]
    return new Failure(
      'backtest_impossible',
      `source.limit holds not even the most recent date: it has ${most} rows.`,
      {
        param: 'source.limit',
      },
    )
  }
  if (data.days.length === 0)
    return new Failure('backtest_impossible', 'The archive has no resolved rows for this source.')
  const first = isoDate(data.days[0])
  const last = isoDate(data.days[data.days.length - 1])
  return new Failure(
    'backtest_impossible',
    `The archive has no rows in these dates: its first is ${first}, its last ${last}.`,
    {
      param: 'source.from',
    },
  )
}
