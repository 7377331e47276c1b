import { Failure } from '../../errors.ts'
import type { Contribution } from '../../model/statement.ts'
import { listFiles } from '../../registers/us/source/listFiles.ts'
import { type ReadProgress, readUnits, startReading } from '../../registers/us/source/readUnits.ts'

/** Everything that some files say, in memory; a file that cannot be read is a failure. */
export async function readContributions(paths: readonly string[]): Promise<Contribution[]> {
  const progress: ReadProgress = startReading()
  const contributions: Contribution[] = []
  for await (const unit of readUnits(await listFiles(paths), new Set(), progress)) {
    contributions.push(...unit.contributions)
  }
  const [fault] = progress.skipped
  if (fault !== undefined) throw new Failure('body_invalid', `${fault.name}: ${fault.reason}`)
  return contributions
}
