/** The Python that has `modules`, or null and a line that says so: tests that need it are then skipped. In CI (REQUIRE_PYTHON,
 * which .ci/run sets with its virtual environment) a missing module fails instead: parity must not be skipped unnoticed. */
export function findPython(...modules: readonly string[]): string | null {
  const hasModules = (program: string) =>
    Bun.which(program) !== null &&
    Bun.spawnSync([program, '-c', `import ${modules.join(', ')}`], { stderr: 'ignore' }).exitCode === 0
  const found = ['python3', '/usr/bin/python3'].find(hasModules)
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
