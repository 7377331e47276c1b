import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { openUntouched } from '../../boot/untouchedDatabase.ts'
import type { Config } from '../../config.ts'
import { findBinaries } from '../../postgres/embedded/folder.ts'
import { readShipped, version } from '../../postgres/history.ts'
import { type CliContext, exitCodes } from '../context.ts'
import { printLine } from '../output.ts'
import { readCommit, schemaNumber } from './installation.ts'
import { readServerState } from './statusQueries.ts'

const help = `The commit is that of the clone, or of the source that the container was built from. The PostgreSQL version is that of
the server at DATABASE_URL if it responds within five seconds. Otherwise it is the version of the embedded PostgreSQL,
which is not started for this.

Example:
  ./asfiled version --json`

/** `version`: describes the installation, for bug reports. */
export function addVersionCommand(program: Command, context: CliContext): void {
  program
    .command('version')
    .description('Show the version, its commit and schema number, and the versions of Bun and PostgreSQL')
    .option('--json', 'Print one JSON object')
    .addHelpText('after', help)
    .action(async ({ json }: { json?: true }) => {
      const found = {
        object: 'version',
        version,
        commit: readCommit(),
        schema: schemaNumber(await readShipped()),
        bun: Bun.version,
        postgresql: await postgresOf(context.config),
      }
      await printLine(json ? JSON.stringify(found, null, 2) : textOf(found))
      // A database that hangs holds its connection and thus this process.
      if (found.postgresql === null) process.exit(exitCodes.done)
    })
}

interface Versions {
  readonly version: string
  readonly commit: string | null
  readonly schema: number
  readonly bun: string
  readonly postgresql: string | null
}

const textOf = (found: Versions): string =>
  [
    `asfiled     ${found.version}`,
    `commit      ${found.commit ?? 'not known'}`,
    `schema      ${found.schema}`,
    `Bun         ${found.bun}`,
    `PostgreSQL  ${found.postgresql ?? 'not known: DATABASE_URL does not answer'}`,
  ].join('\n')

const timeoutMs = 5_000

async function postgresOf(config: Config): Promise<string | null> {
  if (config.databaseUrl === null) return embeddedVersion()
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), timeoutMs)
  const answer = openUntouched(config, timeoutMs, () => {})
    .then(async database => {
      const { version: found } = await readServerState(database.sql).finally(() => database.close())
      return `${found.split(' ')[0]} (DATABASE_URL)`
    })
    .catch(() => null)
  const found = await Promise.race([answer, late.promise])
  clearTimeout(timer)
  return found
}

async function embeddedVersion(): Promise<string | null> {
  try {
    const { postgres } = await findBinaries()
    const { stdout } = await promisify(execFile)(postgres, ['--version'], { timeout: timeoutMs })
    return `${/\d[\w.]*/.exec(stdout)?.[0] ?? '18'} (embedded)`
  } catch {
    return null
  }
}
