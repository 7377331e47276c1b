import type { ReservedSql } from '../../../postgres/client.ts'
import { advanceDataVersion } from '../../../postgres/dataVersion.ts'

/**
 * Serialises imports of signals batch by batch: the rows with which a batch is compared must not change
 * meanwhile.
 */
const signalLock = 0x7369676e

/** A line that would change a row on record. */
export interface RefusedChange {
  line: number
  date: string
  ticker: string
  market: string
  horizonDays: number
  oldPredicted: number
  oldActual: number | null
  predicted: number
  actual: number | null
}

export interface MergedBatch {
  added: number
  /** Open forecasts replaced by newer ones. */
  revised: number
  resolved: number
  corrected: number
  unchanged: number
  /** How many of the added lines claim `live` although their day had ended. */
  late: number
  refused: number
  examples: RefusedChange[]
  /** Null if the batch changed nothing. */
  dataVersion: number | null
}

interface BatchBounds {
  afterLine: number
  untilLine: number
  /** Whether to replace rows on record. The replaced rows stay in the history. */
  correct: boolean
  /** The file's name in the record of data versions. */
  name: string
  maxExamples: number
  /** The first day that has not ended in a market at the time of the call. */
  firstOpenDay: (market: string) => string
}

/** Merges one range of staged lines in one transaction, so that readers see all of it or nothing. */
export async function mergeSignalBatch(connection: ReservedSql, batch: BatchBounds): Promise<MergedBatch> {
  await connection`begin`
  try {
    await connection`select pg_advisory_xact_lock(${signalLock})`
    await classify(connection, batch)
    await recordOpenDays(connection, batch.firstOpenDay)
    const counts = await countKinds(connection)
    const changed = counts.added + counts.revised + counts.resolved + counts.corrected
    const examples = counts.refused === 0 ? [] : await findRefused(connection, batch.maxExamples)
    if (counts.added > 0) await insertForecasts(connection)
    if (counts.revised + counts.resolved > 0) await updateOpenForecasts(connection)
    if (counts.corrected > 0) await correctResolved(connection)
    const version =
      changed === 0
        ? null
        : await advanceDataVersion(connection, {
            source: `signals ${batch.name}`,
            entities: counts.tickers,
            factsAdded: changed,
          })
    await connection`commit`
    return { ...counts, examples, dataVersion: version }
  } catch (error) {
    await connection`rollback`.catch(() => {})
    throw error
  }
}

async function classify(connection: ReservedSql, batch: BatchBounds): Promise<void> {
  await connection`drop table if exists signal_change`
  await connection`
    create temp table signal_change as
    select s.*, k.predicted as old_predicted, k.actual as old_actual, k.source as old_source,
      k.recorded_at as old_recorded_at, k.resolved_at as old_resolved_at,
      case
        when k.date is null then 'add'
        when s.predicted = k.predicted and (s.actual is null or s.actual is not distinct from k.actual)
          then 'same'
        when k.actual is null and s.actual is null then 'revise'
        when k.actual is null and s.predicted = k.predicted then 'resolve'
        when ${batch.correct} then 'correct'
        else 'refuse'
      end as kind
    from signal_stage s
    left join signal k using (horizon, date, ticker, market)
    where s.line > ${batch.afterLine} and s.line <= ${batch.untilLine}`
}

/** Reads the clock under the lock, because a forecast that waited past midnight is late. */
async function recordOpenDays(
  connection: ReservedSql,
  firstOpenDay: (market: string) => string,
): Promise<void> {
  const rows = await connection<{ market: string }[]>`select distinct market from signal_change`
  const markets = rows.map(row => row.market)
  await connection`drop table if exists signal_open_day`
  await connection`
    create temp table signal_open_day as
    select * from unnest(${markets}::text[], ${markets.map(firstOpenDay)}::date[]) as d (market, first_open)`
}

async function countKinds(connection: ReservedSql) {
  const [counts] = await connection<
    Record<
      'added' | 'revised' | 'resolved' | 'corrected' | 'unchanged' | 'late' | 'refused' | 'tickers',
      number
    >[]
  >`
    select count(*) filter (where kind = 'add')::int as added,
           count(*) filter (where kind = 'revise')::int as revised,
           count(*) filter (where kind = 'resolve')::int as resolved,
           count(*) filter (where kind = 'correct')::int as corrected,
           count(*) filter (where kind = 'same')::int as unchanged,
           count(*) filter (where kind = 'add' and source = 'live'
                            and (actual is not null or date < first_open))::int as late,
           count(*) filter (where kind = 'refuse')::int as refused,
           count(distinct ticker) filter (where kind not in ('same', 'refuse'))::int as tickers
    from signal_change join signal_open_day using (market)`
  return counts
}

function findRefused(connection: ReservedSql, limit: number): Promise<RefusedChange[]> {
  return connection<RefusedChange[]>`
    select line::int as line, date, ticker, market, horizon as "horizonDays",
           old_predicted as "oldPredicted", old_actual as "oldActual", predicted, actual
    from signal_change where kind = 'refuse' order by line limit ${limit}`
}

/**
 * A forecast that is recorded before its day has ended in its market is `live`, and stays so when the outcome
 * arrives. The file's column source is not trusted, because a file could claim anything.
 */
async function insertForecasts(connection: ReservedSql): Promise<void> {
  await connection`
    insert into signal (date, horizon, ticker, market, predicted, actual, source, resolved_at)
    select date, horizon, ticker, market, predicted, actual,
           case when actual is null and date >= first_open then 'live' else 'backfill' end,
           case when actual is not null then now() end
    from signal_change join signal_open_day using (market)
    where kind = 'add'
    order by horizon, date, ticker, market`
}

/**
 * Replaces open forecasts by newer ones and records their outcomes. A forecast revised after its day has
 * ended is no longer `live`.
 */
async function updateOpenForecasts(connection: ReservedSql): Promise<void> {
  await connection`
    update signal k
    set predicted = c.predicted, actual = c.actual,
        source = case when c.predicted = k.predicted or c.date >= d.first_open then k.source else 'backfill' end,
        recorded_at = case when c.predicted = k.predicted then k.recorded_at else now() end,
        resolved_at = case when c.actual is not null then now() end
    from signal_change c join signal_open_day d using (market)
    where c.kind in ('revise', 'resolve')
      and (k.horizon, k.date, k.ticker, k.market) = (c.horizon, c.date, c.ticker, c.market)`
}

/** A forecast that changes after its outcome is known is no longer `live`. */
async function correctResolved(connection: ReservedSql): Promise<void> {
  await connection`
    with corrected as (
      update signal k
      set predicted = c.predicted, actual = coalesce(c.actual, k.actual),
          source = case when c.predicted = k.predicted then k.source else 'backfill' end,
          recorded_at = case when c.predicted = k.predicted then k.recorded_at else now() end,
          resolved_at = case when coalesce(c.actual, k.actual) is distinct from k.actual
                             then now() else k.resolved_at end
      from signal_change c
      where c.kind = 'correct'
        and (k.horizon, k.date, k.ticker, k.market) = (c.horizon, c.date, c.ticker, c.market)
      returning k.date, k.horizon, k.ticker, k.market, c.old_predicted, k.predicted, c.old_actual, k.actual,
                c.old_source, k.source, c.old_recorded_at, c.old_resolved_at)
    insert into signal_correction
      (date, horizon, ticker, market, old_predicted, new_predicted, old_actual, new_actual,
       old_source, new_source, old_recorded_at, old_resolved_at)
    select * from corrected order by horizon, date, ticker, market`
}

/**
 * Updates statistics and the visibility map after a large load; otherwise the next readers would pay for
 * both.
 */
export async function vacuumSignals(connection: ReservedSql): Promise<void> {
  await connection`vacuum (analyze, skip_locked) signal`
}

export interface Contradiction {
  date: string
  ticker: string
  market: string
  horizonDays: number
  lines: number
  firstLine: number
  lastLine: number
}

interface RemovedRepeats {
  /** Lines that equal an earlier line of the file. */
  repeated: number
  /** Lines that contradict each other; all of them are removed. */
  contradicting: number
  examples: Contradiction[]
}

/** Leaves at most one staged line per forecast: the first of equal lines, and none of contradicting ones. */
export async function removeRepeats(connection: ReservedSql, maxExamples: number): Promise<RemovedRepeats> {
  await connection`
    create temp table signal_repeat as
    select horizon, date, ticker, market, count(*) as lines, min(line) as first_line, max(line) as last_line,
      min(predicted) <> max(predicted)
        or count(actual) not in (0, count(*)) or coalesce(min(actual) <> max(actual), false)
        or count(source) not in (0, count(*)) or coalesce(min(source) <> max(source), false) as differs
    from signal_stage
    group by horizon, date, ticker, market
    having count(*) > 1`
  const [sums] = await connection<{ repeated: number; contradicting: number }[]>`
    select coalesce(sum(lines - 1) filter (where not differs), 0)::int as repeated,
           coalesce(sum(lines) filter (where differs), 0)::int as contradicting
    from signal_repeat`
  if (sums.repeated + sums.contradicting === 0) return { ...sums, examples: [] }
  await connection`
    delete from signal_stage s using signal_repeat r
    where (s.horizon, s.date, s.ticker, s.market) = (r.horizon, r.date, r.ticker, r.market)
      and (r.differs or s.line > r.first_line)`
  const examples = await connection<Contradiction[]>`
    select date, ticker, market, horizon as "horizonDays", lines::int as lines,
           first_line::int as "firstLine", last_line::int as "lastLine"
    from signal_repeat where differs order by first_line limit ${maxExamples}`
  return { ...sums, examples }
}
