import type { ReservedSql } from '../database.ts'

export interface Contradiction {
  date: string
  ticker: string
  market: string
  horizonDays: number
  lines: number
  firstLine: number
  lastLine: number
}

export interface SettledRepeats {
  /** Lines that said again what an earlier line of the file says. */
  repeated: number
  /** Lines that contradict one another; none of them stays in the stage. */
  contradicting: number
  examples: Contradiction[]
}

/** Leaves at most one staged line for each forecast: of equal lines the first, of contradicting lines none. */
export async function settleRepeats(connection: ReservedSql, mostExamples: number): Promise<SettledRepeats> {
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
    from signal_repeat where differs order by first_line limit ${mostExamples}`
  return { ...sums, examples }
}
