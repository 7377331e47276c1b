import type { BacktestResult } from '../../model/backtestResult.ts'
import { tearSheet } from './tearSheet.ts'

/** The tear sheet of a result of the service, which says what rows it is of. */
export function resultPage(result: BacktestResult): string {
  const { data_version: version, score } = result
  const archive = score === undefined ? 'The archive' : `The archive of ${score.market} by ${score.metric}`
  return tearSheet(result, version === undefined ? 'Your rows' : `${archive}, data version ${version}`)
}
