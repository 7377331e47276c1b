import type { Encoding, PageHeader } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { damaged, FileFault } from './faults.ts'
import { checkThrift } from './thriftCheck.ts'

/** Large enough for a header, which contains the smallest and the largest value of its page. */
export const maxHeaderBytes = 65_536
const maxHeaderValues = 100
/** What a page's header states about the page. */
export interface CheckedHeader {
  readonly kind: 'DICTIONARY_PAGE' | 'DATA_PAGE' | 'DATA_PAGE_V2'
  readonly values: number
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly encoding: Encoding
  /** Bytes of the uncompressed levels before the values; null: the levels are inside the page. */
  readonly levelBytes: number | null
  readonly isPacked: boolean
}

/** Reads the header at the start of these bytes, and its length. */
export function readPageHeader(bytes: Uint8Array): { header: CheckedHeader; length: number } {
  const length = checkThrift(bytes, 0, bytes.length, maxHeaderValues)
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  return { header: checkedHeader(parquetHeader({ view, offset: 0 })), length }
}

/** Validates the numbers that decide how much is read, and for how long. */
function checkedHeader(header: PageHeader): CheckedHeader {
  const packedBytes = counted(header.compressed_page_size)
  const unpackedBytes = counted(header.uncompressed_page_size)
  const { dictionary_page_header: dictionary, data_page_header: first, data_page_header_v2: second } = header
  if (header.type === 'DICTIONARY_PAGE' && dictionary !== undefined) {
    const values = counted(dictionary.num_values)
    return {
      kind: header.type,
      encoding: 'PLAIN',
      levelBytes: null,
      isPacked: true,
      values,
      packedBytes,
      unpackedBytes,
    }
  }
  if (header.type === 'DATA_PAGE' && first !== undefined) {
    const { encoding } = first
    const values = counted(first.num_values)
    return {
      kind: header.type,
      levelBytes: null,
      isPacked: true,
      encoding,
      values,
      packedBytes,
      unpackedBytes,
    }
  }
  if (header.type !== 'DATA_PAGE_V2' || second === undefined) throw new FileFault(damaged)
  // A flat column has no repetition levels.
  if (counted(second.repetition_levels_byte_length) > 0) throw new FileFault(damaged)
  return {
    kind: header.type,
    levelBytes: counted(second.definition_levels_byte_length),
    isPacked: second.is_compressed !== false,
    encoding: second.encoding,
    values: counted(second.num_values),
    packedBytes,
    unpackedBytes,
  }
}

function counted(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw new FileFault(damaged)
}
