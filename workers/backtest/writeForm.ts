import type { WrittenResult } from '../../src/compute/writtenResult.ts'
import type { BacktestResult } from '../../src/model/backtestResult.ts'
import type { ResultForm } from '../../src/model/resultForm.ts'
import { resultPage } from '../../src/web/tearSheet/resultPage.ts'
import { jsonBytes } from './jsonBytes.ts'

export function writeForm(result: BacktestResult, form: ResultForm): WrittenResult {
  const bytes = form === 'html' ? new TextEncoder().encode(resultPage(result)) : jsonBytes(result)
  return { bytes, dataVersion: result.data_version ?? null }
}
