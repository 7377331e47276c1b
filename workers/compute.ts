import { buildEvents } from '../src/backtest/asOf/events.ts'
import { readJoinBody } from '../src/backtest/asOf/joinBody.ts'
import { scoreDataset } from '../src/backtest/asOf/scoreDataset.ts'
import { writeJoin } from '../src/backtest/asOf/writeJoin.ts'
import { rankDataset } from '../src/backtest/dataset/rank.ts'
import { buildArchive, filterArchive, listAssetNames } from '../src/backtest/pipeline/archiveDataset.ts'
import { openBatch, runBatchItems } from '../src/backtest/pipeline/batch.ts'
import { encodeResult, storedPage } from '../src/backtest/pipeline/encodeResult.ts'
import { packPanel } from '../src/backtest/pipeline/panelDataset.ts'
import { readPanelFile } from '../src/backtest/pipeline/readPanelFile.ts'
import { runArchiveRequest, runBodyRequest, runPanelRequest } from '../src/backtest/pipeline/runRequest.ts'
import { prepareSweepSpa, runSpaSlice } from '../src/backtest/pipeline/sweepEvidence.ts'
import { simulateSlice } from '../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../src/backtest/pipeline/sweepResult.ts'
import { describeFailure } from '../src/backtest/pipeline/taskFailure.ts'
import { taskNames } from '../src/backtest/pool/taskNames.ts'
import type { Task, TaskKind, TaskReply } from '../src/backtest/pool/tasks.ts'
import { releaseKernelMemory } from '../src/backtest/portfolio/kernel/wasm.ts'
import { resultParts } from '../src/backtest/report/resultParts.ts'
import { registerFormats } from '../src/dates.ts'
import { IdleRest } from './idleRest.ts'
import { warmUp } from './warmUp.ts'

registerFormats()
warmUp()

const rest = new IdleRest(() => {
  releaseKernelMemory()
  Bun.gc(true)
})

/** The entry point of a worker thread: one task in, one reply out. It never throws, for an Error would lose its code
 * on the way to the other thread. */
export default async function compute(task: Task): Promise<TaskReply<TaskKind>> {
  rest.begin()
  try {
    return { ok: true, output: await perform(task) }
  } catch (error) {
    return { ok: false, failure: describeFailure(error, taskNames[task.kind].what) }
  } finally {
    rest.end()
  }
}

function perform({ kind, input }: Task) {
  switch (kind) {
    case 'backtest_body':
      return runBodyRequest(input)
    case 'backtest_archive':
      return runArchiveRequest(input, input.resultFormat)
    case 'backtest_stored':
      return runPanelRequest(input.data, input.request, input.costs, input.resultFormat, input.scored)
    case 'batch_body':
      return openBatch(input.body)
    case 'batch_items':
      return runBatchItems(input)
    case 'panel_pack':
      return packPanel(input)
    case 'dataset_rank':
      return rankDataset(input.data).ranking
    case 'sweep_slice':
      return simulateSlice(input)
    case 'sweep_finish':
      return encodeResult(
        writeSweepResult(input.plan, input.series, input.spa),
        input.resultFormat,
        input.plan.pageOnly,
      )
    case 'sweep_spa':
      return prepareSweepSpa(input.plan, input.series)
    case 'spa_slice':
      return runSpaSlice(input)
    case 'result_page':
      return storedPage(input.stored)
    case 'result_parts':
      return resultParts(JSON.parse(input.result))
    case 'panel_file':
      return readPanelFile(input)
    case 'archive_build':
      return buildArchive(input.days)
    case 'dataset_filter':
      return filterArchive(input.data, input.market)
    case 'dataset_names':
      return listAssetNames(input.data)
    case 'dataset_score':
      return scoreDataset(input)
    case 'join_body':
      return readJoinBody(input)
    case 'events_build':
      return buildEvents(input)
    case 'join_rows':
      return writeJoin(input)
    default:
      return kind satisfies never
  }
}
