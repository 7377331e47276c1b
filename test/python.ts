import { resolve } from 'node:path'

/** The Python (PYTHON, else python3) that has `modules`, or null and a line that says so: tests that need it are then skipped. In CI (REQUIRE_PYTHON,
 * which .ci/run sets with its virtual environment) a missing module fails instead: parity must not be skipped unnoticed. */
export const findPython = (...modules: readonly string[]): string | null =>
  findProgram([process.env.PYTHON ?? 'python3', '/usr/bin/python3'], modules)

/** The Python of the packages that need an older pandas: PYTHON_PEERS, which .ci/long sets, or that of .ci/peers-venv. Null without LONG=1:
 * .ci/run makes no such environment. */
export function findPeersPython(...modules: readonly string[]): string | null {
  if (process.env.LONG === undefined) {
    console.log(`skipped: what needs ${modules.join(', ')} runs with LONG=1`)
    return null
  }
  const program = process.env.PYTHON_PEERS ?? resolve(import.meta.dir, '../.ci/peers-venv/bin/python3')
  return findProgram([program], modules)
}

function findProgram(programs: readonly string[], modules: readonly string[]): string | null {
  const hasModules = (program: string) =>
    Bun.which(program) !== null &&
    Bun.spawnSync([program, '-c', `import ${modules.join(', ')}`], { stderr: 'ignore' }).exitCode === 0
  const found = programs.find(hasModules)
  if (found !== undefined) return found
  const message = `python3 with ${modules.join(', ')} is not on this machine`
  if (process.env.REQUIRE_PYTHON) throw new Error(message)
  console.warn(`skipped: ${message}`)
  return null
}

/** Runs Python in `folder` and returns its standard output. */
export function runPython(python: string, folder: string, args: readonly string[]): string {
  const run = Bun.spawnSync([python, ...args], {
    cwd: folder,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.exitCode !== 0) throw new Error(run.stderr.toString())
  return run.stdout.toString()
}
