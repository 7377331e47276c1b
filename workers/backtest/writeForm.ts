import type { WrittenResult } from '../../src/compute/writtenResult.ts'
import type { BacktestResult } from '../../src/model/backtestResult.ts'
import type { ResultForm } from '../../src/model/resultForm.ts'
import { resultPage } from '../../src/web/tearSheet/resultPage.ts'

const encoder = new TextEncoder()

export function writeForm(result: BacktestResult, form: ResultForm): WrittenResult {
  const text = form === 'html' ? resultPage(result) : JSON.stringify(result)
  return { bytes: encoder.encode(text), dataVersion: result.data_version ?? null }
}
