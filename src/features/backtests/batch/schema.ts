import { type Static, Type } from '@sinclair/typebox'
import { maxBatchItems } from '../../../backtest/batchRequest.ts'
import { BatchProgressLine, BatchResultLine, BatchSummaryLine } from '../../../backtest/batchResult.ts'
import { ErrorBody } from '../../../http/errors.ts'

export const BatchErrorLine = Type.Object(
  {
    object: Type.Literal('batch_error', { description: 'Always batch_error.' }),
    index: Type.Integer({
      minimum: 0,
      maximum: maxBatchItems - 1,
      description: 'Index of the backtest in configs or items, from 0.',
    }),
    batch_size: Type.Integer({ minimum: 1, maximum: maxBatchItems, description: 'Backtests in the batch.' }),
    error: ErrorBody.properties.error,
  },
  {
    additionalProperties: false,
    $id: 'BatchErrorLine',
    description: 'A backtest that failed, with the same error as for a single request. The others continue.',
  },
)
export type BatchErrorLine = Static<typeof BatchErrorLine>

/** A line of the response. `batch_summary` is the last; `batch_progress` may appear any number of times. */
export const BatchLine = Type.Union([BatchResultLine, BatchErrorLine, BatchProgressLine, BatchSummaryLine], {
  $id: 'BatchLine',
})
