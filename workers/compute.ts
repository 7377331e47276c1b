import type { Task, TaskFailure, TaskKind, TaskReply } from '../src/compute/protocol.ts'
import { Failure } from '../src/errors.ts'
import { registerFormats } from '../src/model/formats.ts'
import { rankDataset } from '../src/quant/rankDataset.ts'
import { runArchiveRequest } from './backtest/runArchiveRequest.ts'
import { runBodyBacktest } from './backtest/runBodyBacktest.ts'
import { runStoredBacktest } from './backtest/runStoredBacktest.ts'
import { writeForm } from './backtest/writeForm.ts'
import { buildArchive } from './dataset/buildArchive.ts'
import { filterArchive } from './dataset/filterArchive.ts'
import { listNames } from './dataset/listNames.ts'
import { scoreArchive } from './dataset/scoreArchive.ts'
import { packPanel } from './panels/packPanel.ts'
import { finishSweep } from './sweep/finishSweep.ts'
import { runSlice } from './sweep/runSlice.ts'
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
