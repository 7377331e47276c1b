import { type Static, Type } from '@sinclair/typebox'
import { PanelScore } from './figureScore.ts'
import {
  BacktestConfig,
  BacktestInclude,
  BacktestPanelColumns,
  BacktestPanelRow,
  BacktestSource,
  maxPanelRows,
  PanelId,
  RequestDataVersion,
} from './request.ts'
import { BacktestBenchmark } from './requestBenchmark.ts'
import { BacktestFactors } from './requestFactors.ts'
import { BacktestPrices } from './requestPrices.ts'
import { TrialsAlreadyTried } from './requestTrials.ts'

/** The maximum number of backtests in one batch. */
export const maxBatchItems = 500

const strict = { additionalProperties: false } as const
const include = Type.Optional(Type.Array(BacktestInclude, { uniqueItems: true, maxItems: 4 }))

/** A backtest of a batch with its own rows. */
export const BacktestBatchItem = Type.Object(
  {
    panel: Type.Optional(PanelId),
    source: Type.Optional(BacktestSource),
    config: Type.Optional(BacktestConfig),
    include,
    benchmark: Type.Optional(BacktestBenchmark),
    factors: Type.Optional(BacktestFactors),
    prices: Type.Optional(BacktestPrices),
    score: Type.Optional(PanelScore),
  },
  {
    ...strict,
    $id: 'BacktestBatchItem',
    description:
      'A backtest of a stored panel or of the archive. Without panel and source: the whole archive with the defaults.',
  },
)
export type BacktestBatchItem = Static<typeof BacktestBatchItem>

export const BacktestBatchRequest = Type.Object(
  {
    configs: Type.Optional(
      Type.Array(BacktestConfig, {
        minItems: 1,
        maxItems: maxBatchItems,
        description: 'Configurations to run on the same rows: those of panel, or those of source.',
      }),
    ),
    panel: Type.Optional(
      Type.Union([Type.Array(BacktestPanelRow, { maxItems: maxPanelRows }), BacktestPanelColumns, PanelId], {
        description: 'With configs: your own rows, as rows or as columns, or the id of a stored panel.',
      }),
    ),
    source: Type.Optional(BacktestSource),
    include,
    benchmark: Type.Optional(BacktestBenchmark),
    trials_already_tried: Type.Optional(TrialsAlreadyTried),
    factors: Type.Optional(BacktestFactors),
    prices: Type.Optional(BacktestPrices),
    score: Type.Optional(PanelScore),
    data_version: RequestDataVersion,
    items: Type.Optional(
      Type.Array(BacktestBatchItem, {
        minItems: 1,
        maxItems: maxBatchItems,
        description: 'Backtests, each of a stored panel or of the archive. Send either items or configs.',
      }),
    ),
  },
  { ...strict, $id: 'BacktestBatchRequest' },
)
export type BacktestBatchRequest = Static<typeof BacktestBatchRequest>
