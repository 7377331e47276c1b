import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import packageFile from '../../package.json'
import { type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { defaultManners, type Network } from '../ingest/network/network.ts'
import { type RegisterSettings, type Source, settingOf } from '../ingest/network/source.ts'
import { registers, sources } from '../ingest/registers/registers.ts'
import { openArchive } from '../ingest/sync/archive.ts'
import { type SyncSummary, syncRegister } from '../ingest/sync/syncRegister.ts'
import type { Manifest } from '../markets/manifest.ts'
import { loadMarkets } from '../markets/markets.ts'
import type { CliContext } from './context.ts'
import { explainLoss } from './import.ts'
import { startProgress } from './output.ts'
import { giveWay } from './priority.ts'
import { reportSync } from './syncReport.ts'

const always = `
What is fetched is kept in DATA_DIR/registers/<market>/<day>, as it came, and imported from there. What is had is not asked
for again. Ctrl-C, a crash or a register that is away loses nothing: the same command goes on where it stopped.
Exit code: 0 all there is was fetched and read; 1 something was skipped (and named) or it was stopped; 2 nothing came.`

/** `sync <market>`: one command for each register that can be asked. */
export function addSyncCommand(program: Command, context: CliContext): void {
  const command = program.command('sync').description('Fetch what is new from a register, and import it.')
  for (const source of sources.values()) {
    const market = source.market.toLowerCase()
    const needs =
      source.required.length > 0 ? `\nSettings: ${source.required.join(', ')} (see .env.example).` : ''
    const own = command
      .command(market)
      .description(`Fetch from ${source.name}.`)
      .option('--since <DATE>', 'from this day on, instead of from where the last run stopped', day)
    if (source.companies !== 'none')
      own.option('--companies <FILE>', "only these: a file of the register's own numbers, one a line")
    own
      .addHelpText('after', `${source.help}${needs}\n${always}\n\nExample:\n  asfiled sync ${market}`)
      .action(async ({ since, companies }: { since?: IsoDate; companies?: string }) => {
        process.exitCode = await run(context, source, since ?? null, companies)
      })
  }
}

async function run(
  context: CliContext,
  source: Source,
  since: IsoDate | null,
  companiesFile: string | undefined,
): Promise<number> {
  const { registers: settings, dataDir } = context.config
  if (since !== null && since > context.today())
    throw new Failure('parameter_invalid', `--since ${since} is in the future.`, { param: 'since' })
  const manifest = (await loadMarkets()).get(source.market)
  if (manifest === undefined) throw new Error(`There is no manifest of ${source.market}.`)
  const companies = companiesFile === undefined ? [] : await readCompanies(companiesFile, manifest)
  const signal = stopOnSignal(line => console.error(line))
  return context.withDatabase(async sql => {
    giveWay()
    const progress = startProgress(`Fetching ${source.market}`, () => performance.now())
    let summary: SyncSummary | null = null
    const { requests_per_second: requestsPerSecond } = manifest.sync
    try {
      const done = await syncRegister(
        sql,
        {
          ...{ source, settings, since, companies, signal, network: realNetwork },
          register: registers.get(source.market),
          manners: {
            ...defaultManners,
            requestsPerSecond,
            userAgent: userAgentOf(manifest, source, settings),
          },
          archive: openArchive(join(dataDir, 'registers')),
          today: context.today,
          newId: randomUUID,
          onProgress: () => summary && progress.update(progressOf(summary)),
          say: line => console.error(line),
        },
        growing => {
          summary = growing
        },
      )
      progress.stop()
      return reportSync(source, done, registers.has(source.market))
    } catch (error) {
      progress.stop()
      throw explainLoss(error)
    }
  })
}

function progressOf({ fetched, imported }: SyncSummary) {
  const done = fetched.asked + fetched.known
  const note = `${fetched.kept.toLocaleString('en-US')} new, ${imported.factsAdded.toLocaleString('en-US')} facts`
  return { done, total: Math.max(fetched.expected, done), note }
}

/** Registers that want to know who asks are told; the others are told what asks. */
function userAgentOf({ sync }: Manifest, source: Source, settings: RegisterSettings): string {
  const product = `asfiled/${packageFile.version}`
  if (sync.user_agent === 'product' || source.contact === null || !settings[source.contact]) return product
  const contact = settingOf(settings, source.contact)
  if (!/\S+@\S+\.\S+/.test(contact))
    throw new Failure(
      'parameter_invalid',
      `${source.contact} needs a name and an e-mail address: "Firm Name admin@firm.example".`,
    )
  return `${contact} ${product}`
}

function day(text: string): IsoDate {
  if (isIsoDate(text)) return text
  throw new InvalidArgumentError('A day is written YYYY-MM-DD.')
}

const mostCompanies = 5_000_000

/** The issuer numbers in a file, one a line, as the register writes them: with the zeros that people leave out. */
export async function readCompanies(path: string, { issuer, name }: Manifest): Promise<string[]> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw fault(`There is no file ${path}.`)
  const pattern = new RegExp(issuer.pattern)
  const numbers = new Set<string>()
  for (const [index, line] of (await file.text()).split('\n').entries()) {
    const text = line.trim().toUpperCase()
    if (text === '' || text.startsWith('#')) continue
    const number = pattern.exec(text)?.[1]
    if (number === undefined) {
      throw fault(
        `${path}:${index + 1}: ${text.slice(0, 50)} is no ${issuer.name} of ${name}, like ${issuer.example}.`,
      )
    }
    numbers.add(number.padStart(issuer.digits ?? 0, '0'))
    if (numbers.size > mostCompanies) throw fault(`${path} has more than ${mostCompanies} numbers.`)
  }
  if (numbers.size === 0) throw fault(`${path} names no company.`)
  return [...numbers]
}

const fault = (message: string) => new Failure('parameter_invalid', message, { param: 'companies' })

/** The one place where the network, the clock and chance are real. */
export const realNetwork: Network = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
    }),
}

/** A signal reaches us twice under `bun run`: once from the terminal, once passed on. */
const sameSignalMs = 1_000

/** Aborted by Ctrl-C or SIGTERM, so that a command can end where it loses nothing. A second signal does not wait. */
export function stopOnSignal(say: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  let since: number | null = null
  const stop = () => {
    if (since === null) {
      since = performance.now()
      say('Stopping after what is under way; once more to stop at once.')
      controller.abort()
    } else if (performance.now() - since > sameSignalMs) process.exit(130)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}
