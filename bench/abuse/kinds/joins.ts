import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import {
  type AbuseKind,
  addressOf,
  asDemo,
  csvType,
  equalRows,
  flood,
  joinPath,
  parquetType,
} from '../abuse.ts'

/** A file of a few kilobytes that contains a huge number of rows, because it lists the same row group over and over.
 *
 * @param ticker the ticker of every row; if it is long, so is the text of all rows */
export function parquetBomb(rows: number, groups: number, ticker: string): Uint8Array<ArrayBuffer> {
  const columnData = [
    { name: 'date', data: new Array<string>(rows).fill('2020-01-02'), type: 'STRING' as const },
    { name: 'ticker', data: new Array<string>(rows).fill(ticker), type: 'STRING' as const },
  ]
  const bytes = new ByteWriter()
  const file = new ParquetWriter({ writer: bytes, schema: schemaFromColumnData({ columnData }) })
  file.write({ columnData, rowGroupSize: rows })
  const [group] = file.row_groups
  file.row_groups = new Array(groups).fill(group)
  file.num_rows = BigInt(rows * groups)
  file.finish()
  return new Uint8Array(bytes.getBytes())
}

export const parquetBombs: AbuseKind = {
  about:
    'six senders of small Parquet files that unpack to a hundred million rows, or to rows of very long text',
  prepare: () => {
    const bombs = [parquetBomb(1_000_000, 100, 'AAPL'), parquetBomb(100_000, 10, 'A'.repeat(100_000))]
    return abuse =>
      flood(abuse, 6, (sender, sent) => ({
        source: addressOf(1, sender),
        method: 'POST',
        path: joinPath,
        headers: { ...asDemo, ...parquetType },
        body: bombs[(sender + sent) % bombs.length],
      }))
  },
}

export const equalJoins: AbuseKind = {
  about: 'twelve senders of joins of five million equal rows with the demo key',
  prepare: () => {
    const body = equalRows(5_000_000)
    return abuse =>
      flood(abuse, 12, sender => ({
        source: addressOf(2, sender),
        method: 'POST',
        path: joinPath,
        headers: { ...asDemo, ...csvType },
        body,
      }))
  },
}

export const demoCrowd: AbuseKind = {
  about: '75 senders of joins of 200,000 rows with the demo key, from three addresses',
  prepare: () => {
    const body = equalRows(200_000)
    return abuse =>
      flood(abuse, 75, sender => ({
        source: addressOf(3, sender % 3),
        method: 'POST',
        path: joinPath,
        headers: { ...asDemo, ...csvType },
        body,
      }))
  },
}
