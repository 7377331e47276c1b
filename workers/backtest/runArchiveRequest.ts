import type { ArchiveInput, Outcome } from '../../src/compute/protocol.ts'
import type { ResultForm } from '../../src/model/resultForm.ts'
import { planArchiveSweep } from '../sweep/planArchiveSweep.ts'
import { runArchiveBacktest } from './runArchiveBacktest.ts'
import { writeForm } from './writeForm.ts'

/** Runs what is asked of the archive, or plans it where it is a sweep. */
export function runArchiveRequest(input: ArchiveInput, form: ResultForm): Outcome {
  if (input.request.sweep) return { kind: 'sweep', plan: planArchiveSweep(input) }
  return { kind: 'result', result: writeForm(runArchiveBacktest(input), form) }
}
