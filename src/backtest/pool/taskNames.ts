import type { TaskKind } from './tasks.ts'

/** What messages call a task, and how the caller can make it smaller. */
interface TaskName {
  /** The subject of a sentence. */
  readonly what: string
  /** Completes "Try again, or ...". */
  readonly mend: string
}

const fewerRows = 'send fewer rows or dates'
const backtest: TaskName = { what: 'The backtest', mend: fewerRows }
const sweep: TaskName = { what: 'The sweep', mend: 'send fewer configurations, rows or dates' }
const report: TaskName = { what: 'The report', mend: 'request the result as JSON' }
const join: TaskName = { what: 'The join', mend: 'send fewer rows or metrics' }
const rows: TaskName = { what: 'Preparing the rows', mend: fewerRows }

/** How messages to callers name a task: several kinds of tasks can contribute to one response. */
export const taskNames: Readonly<Record<TaskKind, TaskName>> = {
  backtest_body: backtest,
  backtest_stored: backtest,
  backtest_archive: backtest,
  batch_body: { what: 'Reading the batch', mend: 'send fewer rows or backtests' },
  batch_items: { what: 'A backtest of the batch', mend: fewerRows },
  sweep_slice: sweep,
  sweep_finish: sweep,
  sweep_spa: sweep,
  spa_slice: sweep,
  result_page: report,
  result_parts: report,
  panel_file: { what: 'Reading the file', mend: 'split it by date' },
  panel_pack: { what: 'Storing the panel', mend: 'split it by date' },
  dataset_rank: rows,
  archive_build: { what: 'Preparing the forecasts', mend: 'choose a shorter period' },
  dataset_filter: { what: "Choosing the market's rows", mend: 'choose a shorter period' },
  dataset_names: rows,
  dataset_score: { what: 'Ranking the rows by the metric', mend: fewerRows },
  join_body: { what: 'Reading the rows of the join', mend: 'send fewer rows' },
  events_build: { what: 'Preparing the figures', mend: 'request fewer metrics or companies' },
  join_rows: join,
}
