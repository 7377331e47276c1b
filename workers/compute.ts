import { rankDataset } from '../src/backtest/dataset/rank.ts'
import type { Task, TaskFailure, TaskKind, TaskReply } from '../src/backtest/pool/tasks.ts'
import { buildArchive, filterArchive, listNames } from '../src/backtest/run/archive.ts'
import { writeForm } from '../src/backtest/run/form.ts'
import { packPanel } from '../src/backtest/run/panel.ts'
import { runArchiveRequest, runBodyBacktest, runStoredBacktest } from '../src/backtest/run/request.ts'
import { scoreArchive } from '../src/backtest/run/scoreArchive.ts'
import { finishSweep, runSlice } from '../src/backtest/run/sweepFinish.ts'
import { registerFormats } from '../src/dates.ts'
import { Failure } from '../src/errors.ts'
import { warmUp } from './warmUp.ts'

registerFormats()
warmUp()

/** The thread's only door: one task in, one reply out. */
export default function compute(task: Task): TaskReply<TaskKind> {
  try {
    return { ok: true, output: perform(task) }
  } catch (error) {
    return { ok: false, failure: describe(error) }
  }
}

function perform(task: Task) {
  switch (task.kind) {
    case 'backtest_body':
      return runBodyBacktest(task.input)
    case 'backtest_archive':
      return runArchiveRequest(task.input, task.input.form)
    case 'backtest_stored':
      return runStoredBacktest(task.input)
    case 'panel_pack':
      return packPanel(task.input)
    case 'dataset_rank':
      return rankDataset(task.input.data).ranking
    case 'sweep_slice':
      return runSlice(task.input)
    case 'sweep_finish':
      return writeForm(finishSweep(task.input), task.input.form)
    case 'result_page':
      return writeForm(JSON.parse(task.input.result), 'html')
    case 'archive_build':
      return buildArchive(task.input)
    case 'dataset_filter':
      return filterArchive(task.input)
    case 'dataset_names':
      return listNames(task.input)
    case 'archive_score':
      return scoreArchive(task.input)
    default:
      return task satisfies never
  }
}

function describe(error: unknown): TaskFailure {
  if (error instanceof Failure) {
    return { code: error.code, message: error.message, param: error.details.param ?? null, trace: null }
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'compute_failed', message: 'The backtest could not be computed.', param: null, trace }
}
