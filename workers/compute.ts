import { workerData } from 'node:worker_threads'
import { describeFailure } from '../src/backtest/pipeline/taskFailure.ts'
import type { ThreadSettings } from '../src/backtest/pool/computePool.ts'
import { taskNames } from '../src/backtest/pool/taskMessages.ts'
import { performTask, type Task, type TaskKind, type TaskReply } from '../src/backtest/pool/tasks.ts'
import { releaseKernelMemory } from '../src/backtest/portfolio/kernel/wasm.ts'
import { registerFormats } from '../src/dates.ts'
import { IdleRest } from './idleRest.ts'
import { warmUp } from './warmUp.ts'

const { warmsUp }: ThreadSettings = workerData

registerFormats()

let isCold = warmsUp
const rest = new IdleRest(() => {
  if (isCold) warmUp()
  isCold = false
  releaseKernelMemory()
  Bun.gc(true)
})
// A thread is idle from its start on. It warms up at its first rest, because a start needs the processors itself.
rest.begin()
rest.end()

/** The entry point of a worker thread: one task in, one reply out. It never throws, because an Error would
 * lose its code on the way to the other thread. */
export default async function compute(task: Task): Promise<TaskReply<TaskKind>> {
  rest.begin()
  try {
    return { ok: true, output: await performTask(task.kind, task.input) }
  } catch (error) {
    return { ok: false, failure: describeFailure(error, taskNames[task.kind].what) }
  } finally {
    rest.end()
  }
}
