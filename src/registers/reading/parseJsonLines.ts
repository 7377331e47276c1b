import { Failure } from '../../errors.ts'
import { parseJson } from './parseJson.ts'
import { messageOf } from './zip.ts'

export interface JsonLine {
  readonly document: unknown
  /** For messages: `line 12: `. */
  readonly place: string
}

/** JSON documents, one a line, in UTF-8. Empty lines are passed over. */
export function parseJsonLines(bytes: Uint8Array): JsonLine[] {
  const documents: JsonLine[] = []
  let number = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    number++
    if (isBlank(line)) continue
    const place = `line ${number}: `
    try {
      documents.push({ document: parseJson(line), place })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.code, `${place}${messageOf(error)}`)
    }
  }
  return documents
}

const isBlank = (line: Uint8Array) => line.every(byte => byte === 0x20 || byte === 0x0d || byte === 0x09)
