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
  backtest_body: ({ body }) => sizeOf(body),
  backtest_stored: ({ data }) => data.asset.length,
  backtest_archive: ({ data }) => data.asset.length,
  batch_body: ({ body }) => body.length,
  batch_items: ({ data, entries }) => data.asset.length * entries.length,
  sweep_slice: ({ data, configs }) => data.asset.length * configs.length,
  sweep_finish: ({ plan }) => plan.configs.length,
  sweep_spa: ({ plan }) => plan.configs.length,
  spa_slice: ({ first, end }) => end - first,
  result_page: ({ stored }) => stored.length,
  result_parts: ({ result }) => result.length,
  panel_file: ({ bytes }) => bytes.length,
  panel_pack: ({ body }) => sizeOf(body),
  dataset_rank: ({ data }) => data.asset.length,
  archive_build: ({ days }) => days.length,
  dataset_filter: ({ data }) => data.asset.length,
  dataset_names: ({ data }) => data.asset.length,
  dataset_score: ({ data }) => data.asset.length,
  join_body: ({ body }) => body.length,
  events_build: ({ rows }) => rows.length,
  join_rows: ({ rows, plan }) => rows.count * plan.metrics.length,
}

/** The bytes or rows that a task works on; at least 1. */
export const unitsOf = <K extends TaskKind>(kind: K, input: TaskInput<K>): number =>
  1 + unitsOfKind[kind](input)
