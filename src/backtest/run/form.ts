import type { WrittenResult } from '../pool/tasks.ts'
import { resultPage } from '../report/tearSheet/page.ts'
import type { ResultForm } from '../request.ts'
import type { BacktestResult } from '../result.ts'

export function writeForm(result: BacktestResult, form: ResultForm): WrittenResult {
  const bytes = form === 'html' ? new TextEncoder().encode(resultPage(result)) : jsonBytes(result)
  return { bytes, dataVersion: result.data_version ?? null }
}

/** The bytes of `JSON.stringify(record)`, made field by field: a text that holds one character beyond Latin-1 (the source
 * of a cost, in the register's own script) takes twice the room, and all the numbers beside it twice the time. */
export function jsonBytes(record: object): Uint8Array<ArrayBuffer> {
  const texts: string[] = []
  for (const [name, value] of Object.entries(record)) {
    const text = JSON.stringify(value)
    if (text !== undefined) texts.push(`${texts.length === 0 ? '{' : ','}${JSON.stringify(name)}:${text}`)
  }
  texts.push(texts.length === 0 ? '{}' : '}')
  const parts = texts.map(text => Buffer.from(text))
  return new Uint8Array(Buffer.concat(parts))
}
