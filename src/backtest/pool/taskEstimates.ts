import { sizeOf } from '../codec/bodyBytes.ts'
import type { TaskInput, TaskKind } from './tasks.ts'

/** The history of a kind of task, in which older tasks count less. */
interface Past {
  ms: number
  units: number
}

/** The weight of the latest task in the history. */
const forgotten = 0.1
/** The estimate for the first task of a kind. */
const unknownMs = 10

/** Estimates how long tasks take, from the bytes or rows that they work on and from earlier tasks of their
 * kind. An estimate may be far off. It only decides how soon the caller of a running task gets another
 * thread, and is replaced by the actual time when the task ends. */
export class TaskEstimates {
  readonly #past = new Map<TaskKind, Past>()

  /** @param units of the task, measured before it runs: its memory may be transferred to the thread */
  estimateMs(kind: TaskKind, units: number): number {
    const past = this.#past.get(kind)
    return past === undefined ? unknownMs : (past.ms / past.units) * units
  }

  learn(kind: TaskKind, units: number, ms: number): void {
    const past = this.#past.get(kind)
    if (past === undefined) {
      this.#past.set(kind, { ms, units })
      return
    }
    past.ms += ms - forgotten * past.ms
    past.units += units - forgotten * past.units
  }
}

const unitsOfKind: { readonly [K in TaskKind]: (input: TaskInput<K>) => number } = {
  runBodyRequest: ({ body, named }) => sizeOf(body) + (named?.data.asset.length ?? 0),
  runPanelRequest: ({ data, scored }) => data.asset.length * (1 + (scored?.compared?.length ?? 0)),
  runArchiveRequest: ({ data, compared }) => data.asset.length * (1 + (compared?.length ?? 0)),
  openBatch: ({ body }) => body.length,
  runBatchItems: ({ data, entries }) => data.asset.length * entries.length,
  simulateSlice: ({ data, configs }) => data.asset.length * configs.length,
  finishSweep: ({ plan }) => plan.configs.length,
  prepareSpa: ({ plan }) => plan.configs.length,
  runSpaSlice: ({ first, end }) => end - first,
  renderResultPage: ({ stored }) => stored.length,
  renderPublicPage: ({ stored }) => stored.length,
  readResultParts: ({ result }) => result.length,
  readPanelFile: ({ bytes }) => bytes.length,
  packPanel: ({ body }) => sizeOf(body),
  rankDataset: ({ data }) => data.asset.length,
  buildArchive: ({ days }) => days.length,
  filterDataset: ({ data }) => data.asset.length,
  listAssetNames: ({ data }) => data.asset.length,
  scoreDataset: ({ data }) => data.asset.length,
  computeReturns: ({ prices }) => prices.securities.reduce((sum, { blocks }) => sum + blocks.length, 0),
  priceDataset: ({ data }) => data.asset.length,
  lookAheadPremium: ({ data }) => data.asset.length,
  readJoinBody: ({ body }) => body.length,
  findSlots: ({ rows }) => rows.count,
  buildEvents: ({ rows }) => rows.length,
  writeJoin: ({ rows, plan }) => rows.count * plan.metrics.length,
  valueMarket: ({ prices }) => prices.blocks.length,
  readAuditBody: ({ body }) => body.length,
  buildVintages: ({ rows }) => rows.length,
  interpretColumns: ({ columns }) => columns.reduce((sum, { candidates }) => sum + candidates.length, 0),
  auditRows: ({ rows, columns }) => rows.count * columns.length,
}

/** The bytes or rows that a task works on; at least 1. */
export const unitsOf = <K extends TaskKind>(kind: K, input: TaskInput<K>): number =>
  1 + unitsOfKind[kind](input)
