import { PassThrough } from 'node:stream'
import type { ReservedSql, Sql } from '../../../postgres/client.ts'
import { copyBytes } from '../../../postgres/copy.ts'

/** One line of a file, waiting to be merged. */
export interface StagedSignal {
  line: number
  date: string
  horizonDays: number
  ticker: string
  market: string
  predicted: number
  /** Null while the forecast is open. */
  actual: number | null
  /** Null if the file has no such column. */
  source: string | null
}

/**
 * The lines of one file in a temporary table, which only this connection sees and which is dropped with it.
 */
export interface SignalStage {
  readonly connection: ReservedSql
  append(rows: readonly StagedSignal[]): Promise<void>
  /** Ends the COPY; no line can be appended afterwards. */
  seal(): Promise<void>
  close(): Promise<void>
}

/** Opens an empty stage on its own connection. */
export async function openSignalStage(sql: Sql): Promise<SignalStage> {
  const connection = await sql.reserve()
  try {
    await connection.unsafe(`
      set statement_timeout = 0;
      set work_mem = '64MB';
      create temp table signal_stage (
        line bigint not null, date date not null, horizon smallint not null, ticker text collate "C" not null,
        market text collate "C" not null, predicted double precision not null, actual double precision,
        source text)`)
    return createStage(connection)
  } catch (error) {
    await discard(connection)
    throw error
  }
}

function createStage(connection: ReservedSql): SignalStage {
  let appended = 0
  let isSealed = false
  const input = new PassThrough()
  const copying = copyBytes(connection, 'copy signal_stage from stdin', input)
  // The next append, or the seal, throws the failure. Until then nothing awaits it.
  input.on('error', () => {})
  copying.catch(() => input.destroy())
  const send = async (text: string) => {
    const error = await new Promise<unknown>(fulfil => input.write(text, fulfil))
    if (!error) return
    await copying
    throw error
  }
  return {
    connection,
    append: async rows => {
      appended += rows.length
      await send(rows.map(copyLine).join(''))
    },
    seal: async () => {
      isSealed = true
      input.end()
      await copying
      const [{ count }] = await connection<
        { count: number }[]
      >`select count(*)::int as count from signal_stage`
      if (count !== appended) throw new Error(`${appended} lines were staged and ${count} arrived`)
      await connection`create index on signal_stage (line)`
      await connection`analyze signal_stage`
    },
    close: async () => {
      if (!isSealed) {
        input.destroy(new Error('abandoned'))
        await copying.catch(() => {})
      }
      await discard(connection)
    },
  }
}

const copyLine = (row: StagedSignal) =>
  `${row.line}\t${row.date}\t${row.horizonDays}\t${row.ticker}\t${row.market}\t${row.predicted}\t${
    row.actual ?? '\\N'
  }\t${row.source ?? '\\N'}\n`

async function discard(connection: ReservedSql): Promise<void> {
  await connection
    .unsafe(
      'rollback; drop table if exists pg_temp.signal_stage, pg_temp.signal_repeat, pg_temp.signal_change, pg_temp.signal_open_day',
    )
    .simple()
    .catch(() => {})
  await connection
    .unsafe(`reset statement_timeout; reset work_mem`)
    .simple()
    .catch(() => {})
  connection.release()
}
