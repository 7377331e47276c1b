import { Failure } from '../../errors.ts'
import type { Contribution } from '../../model/statement.ts'
import { listFiles } from '../../registers/reading/listFiles.ts'
import { startReading } from '../../registers/reading/progress.ts'
import { readUnits } from '../../registers/reading/readUnits.ts'
import type { Register } from '../../registers/register.ts'

/** Everything that some files of a register say, in memory; a file that cannot be read is a failure. */
export async function readContributions(
  register: Register,
  paths: readonly string[],
): Promise<Contribution[]> {
  const progress = startReading()
  const contributions: Contribution[] = []
  for await (const unit of readUnits(
    register,
    await listFiles(paths, register.documentNames),
    new Set(),
    progress,
  )) {
    contributions.push(...unit.contributions)
  }
  const [fault] = progress.skipped
  if (fault !== undefined) throw new Failure('body_invalid', `${fault.name}: ${fault.reason}`)
  return contributions
}
