import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { decodeResult } from '../backtest/pipeline/encodeResult.ts'
import { ComputePool } from '../backtest/pool/computePool.ts'
import { tearSheet } from '../backtest/report/tearSheet/page.ts'
import type { BodyQuery } from '../backtest/request.ts'
import type { BacktestResult } from '../backtest/result.ts'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { runBacktest } from '../features/backtests/run.ts'
import { loadMarkets } from '../markets/markets.ts'
import { backtestSummary } from './backtestSummary.ts'
import type { CliContext } from './context.ts'
import { parseNumber } from './options.ts'
import { startProgress, writeFileAtomically } from './output.ts'
import { openPanel, type PanelFile, readPanelFile } from './panelFile.ts'

const help = `
FILE is CSV or NDJSON, plain or .gz, with the columns
  date,asset,score,forward_return[,market]
forward_return is a fraction (0.025 is +2.5%); an empty score or return is missing. Everything is computed here, without
a server, a database or the network.

Several comma-separated values of --quantile, --weighting, --hold-days or --direction form a grid of configurations. The
best one is shown, with a test of how much selection explains. --sweep tries the standard grid of 48.

Exit code: 0 computed; 1 computed, with warnings (shown); 2 not computed.

Examples:
  asfiled backtest scores.csv
  asfiled backtest scores.csv.gz --quantile .1 --weighting rank --hold-days 5 --cost-bps 10
  asfiled backtest scores.csv --sweep --html sheet.html
  asfiled backtest scores.ndjson --quantile .05,.1,.2 --hold-days 1,5,21 --json result.json`

/** `backtest`: the service's backtest of a file, offline. */
export function addBacktestCommand(program: Command, context: CliContext): void {
  program
    .command('backtest')
    .description('Backtest a ranking from a file, offline, and show it as text, JSON or HTML')
    .argument('<file>', '.csv, .ndjson or .jsonl, optionally with .gz')
    .option('--quantile <share>', 'Share of the names in each leg, 0.01 to 0.5 (default: 0.1)')
    .option('--weighting <name>', 'Weights within a leg: equal, rank or score (default: equal)')
    .option('--hold-days <days>', 'Trading days that a name is held (default: --return-days)')
    .option('--direction <name>', 'Legs: long_short or long_only (default: long_short)')
    .option(
      '--return-days <days>',
      'Trading days of forward_return (default: spacing of the dates)',
      parseNumber,
    )
    .option('--cost-bps <bps>', 'Flat cost of a round trip (default: each market’s own)', parseNumber)
    .option('--borrow-bps <bps>', 'Annual cost of borrowing (default: 50)', parseNumber)
    .option('--gross <exposure>', 'Gross exposure of the portfolio (default: 1)', parseNumber)
    .addOption(new Option('--neutral <what>', 'Form the legs within each market').choices(['market']))
    .option('--drift', 'Let weights drift with their returns')
    .option('--folds <count>', 'Number of walk-forward blocks (default: 5)', parseNumber)
    .option('--sweep', 'Try the standard grid of 48 configurations')
    .option(
      '--include <parts>',
      'Comma-separated: ic, quantiles, monthly, positions (default: all with --html)',
    )
    .option('--title <text>', 'Title of the HTML (default: name of the file)')
    .option('--json <file>', 'Write the result as JSON')
    .option('--html <file>', 'Write a tear sheet that opens in any browser')
    .addHelpText('after', help)
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (path: string, flags: BacktestFlags) => {
      process.exitCode = await run(context, path, flags)
    })
}

async function run({ config }: CliContext, path: string, flags: BacktestFlags): Promise<number> {
  const query = toQuery(flags)
  if (flags.json !== undefined && flags.html !== undefined) requireTwoFiles(flags.json, flags.html)
  const file = await openPanel(path)
  const result = await compute(config, file, query)
  if (flags.json !== undefined) await write(flags.json, JSON.stringify(result))
  if (flags.html !== undefined) await write(flags.html, tearSheet(result, flags.title ?? file.name))
  console.log(backtestSummary(result, file.name, process.stdout.columns || 100))
  return result.warnings.length > 0 ? 1 : 0
}

/** Reading is the first half of the progress, the configurations of a sweep are the second. */
async function compute(
  config: Config,
  file: PanelFile,
  query: ReturnType<typeof toQuery>,
): Promise<BacktestResult> {
  const progress = startProgress('Backtesting')
  const pool = new ComputePool({
    threads: config.computeThreads,
    queue: config.computeQueue,
    timeLimitMs: config.computeTimeoutMs,
  })
  try {
    const body = await readPanelFile(file, read =>
      progress.update({ done: read, total: 2 * file.size, note: 'reading' }),
    )
    progress.update({ done: file.size, total: 2 * file.size, note: 'computing' })
    const { costs } = await loadMarkets()
    const written = await runBacktest({ pool, archive: noArchive, costs: costs.plain }, body, undefined, {
      format: file.format,
      query,
      onProgress: (done, total) => {
        const note = `${done} of ${total} configurations`
        progress.update({ done: file.size + (file.size * done) / total, total: 2 * file.size, note })
      },
    })
    return decodeResult(written)
  } finally {
    progress.stop()
    await pool.close()
  }
}

const noArchive = {
  recent: async () => [],
  get: () =>
    Promise.reject(
      new Failure(
        'parameter_invalid',
        'The file contains no rows, and there is no archive to take them from.',
      ),
    ),
}

async function write(path: string, text: string): Promise<void> {
  await writeFileAtomically(path, text)
  console.error(`Wrote ${path}.`)
}

function requireTwoFiles(json: string, html: string): void {
  if (resolve(json) !== resolve(html)) return
  throw new Failure('parameter_invalid', `--json and --html both name ${json}. Give each a file of its own.`)
}

/** As commander returns them; lists are still text. */
interface BacktestFlags {
  readonly quantile?: string
  readonly weighting?: string
  readonly holdDays?: string
  readonly direction?: string
  readonly returnDays?: number
  readonly costBps?: number
  readonly borrowBps?: number
  readonly gross?: number
  readonly neutral?: string
  readonly drift?: true
  readonly folds?: number
  readonly sweep?: true
  readonly include?: string
  readonly title?: string
  readonly json?: string
  readonly html?: string
}

const allParts = 'ic,quantiles,monthly,positions'

type AxisValue = string | number

/** The flags as the query of a request; the worker validates their values by its schema. An option with several values
 * makes a grid. */
function toQuery(flags: BacktestFlags): BodyQuery {
  const { returnDays, costBps, borrowBps, gross, neutral, drift, folds } = flags
  const axes: Record<string, AxisValue[]> = {
    ...axis('quantile', flags.quantile, numberOf('--quantile')),
    ...axis('weighting', flags.weighting, text => text),
    ...axis('holdDays', flags.holdDays, numberOf('--hold-days')),
    ...axis('direction', flags.direction, text => text),
  }
  const single = Object.entries(axes).filter(([, values]) => values.length === 1)
  const grid = Object.fromEntries(Object.entries(axes).filter(([, values]) => values.length > 1))
  const isGrid = Object.keys(grid).length > 0
  if (flags.sweep && (isGrid || single.some(([name]) => name !== 'direction'))) throw sweepWithValues()
  const config = JSON.stringify({
    ...{ returnDays, costBps, borrowBps, gross, neutral, drift, folds },
    ...Object.fromEntries(single.map(([name, [value]]) => [name, value])),
  })
  const include = flags.include ?? (flags.html === undefined ? undefined : allParts)
  return {
    ...(config === '{}' ? {} : { config }),
    ...(isGrid ? { sweep: JSON.stringify(grid) } : flags.sweep ? { sweep: 'true' } : {}),
    ...(include === undefined ? {} : { include }),
  }
}

function axis(
  name: string,
  text: string | undefined,
  read: (part: string) => AxisValue,
): Record<string, AxisValue[]> {
  return text === undefined ? {} : { [name]: text.split(',').map(part => read(part.trim())) }
}

function numberOf(option: string): (text: string) => number {
  return text => {
    const value = Number(text)
    if (text !== '' && Number.isFinite(value)) return value
    throw new Failure(
      'parameter_invalid',
      `${option}: ${JSON.stringify(text)} is no number. Give one, or several separated by commas.`,
    )
  }
}

function sweepWithValues(): Failure {
  return new Failure(
    'parameter_invalid',
    '--sweep tries a grid of its own: 48 combinations of --quantile, --weighting and --hold-days. Leave those out, or leave --sweep out and give several comma-separated values.',
  )
}
