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
const audit: TaskName = { what: 'The audit', mend: 'send fewer rows or columns' }
const rows: TaskName = { what: 'Preparing the rows', mend: fewerRows }

/** How messages to callers name a task: several kinds of tasks can contribute to one response. */
export const taskNames: Readonly<Record<TaskKind, TaskName>> = {
  runBodyRequest: backtest,
  runPanelRequest: backtest,
  runArchiveRequest: backtest,
  openBatch: { what: 'Reading the batch', mend: 'send fewer rows or backtests' },
  runBatchItems: { what: 'A backtest of the batch', mend: fewerRows },
  simulateSlice: sweep,
  finishSweep: sweep,
  prepareSpa: sweep,
  runSpaSlice: sweep,
  renderResultPage: report,
  renderPublicPage: report,
  readResultParts: report,
  readPanelFile: { what: 'Reading the file', mend: 'split it by date' },
  packPanel: { what: 'Storing the panel', mend: 'split it by date' },
  rankDataset: rows,
  buildArchive: { what: 'Preparing the forecasts', mend: 'choose a shorter period' },
  filterDataset: { what: "Choosing the market's rows", mend: 'choose a shorter period' },
  listAssetNames: rows,
  scoreDataset: { what: 'Ranking the rows by the metric', mend: fewerRows },
  computeReturns: { what: 'Computing the returns from prices', mend: fewerRows },
  priceDataset: { what: 'Computing the returns from prices', mend: fewerRows },
  lookAheadPremium: { what: 'The look-ahead premium', mend: fewerRows },
  readJoinBody: { what: 'Reading the rows of the join', mend: 'send fewer rows' },
  findSlots: join,
  valueMarket: { what: 'Valuing the companies', mend: 'filter by universe, sector or group' },
  readAuditBody: { what: 'Reading the rows of the audit', mend: 'send fewer rows' },
  buildVintages: { what: 'Preparing the figures', mend: 'send fewer columns or companies' },
  interpretColumns: audit,
  auditRows: audit,
  buildEvents: { what: 'Preparing the figures', mend: 'request fewer metrics or companies' },
  writeJoin: join,
}

export const taskKinds = Object.keys(taskNames) as TaskKind[]
