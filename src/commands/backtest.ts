import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ComputePool } from '../backtest/pool/computePool.ts'
import { readWritten } from '../backtest/pool/tasks.ts'
import { tearSheet } from '../backtest/report/tearSheet/page.ts'
import type { BodyQuery } from '../backtest/request.ts'
import type { BacktestResult } from '../backtest/result.ts'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { runBacktest } from '../features/backtests/run.ts'
import { loadMarkets } from '../markets/markets.ts'
import { backtestSummary } from './backtestSummary.ts'
import type { CliContext } from './context.ts'
import { startProgress } from './output.ts'
import { openPanel, type PanelFile, readPanelFile, writeWhole } from './panelFile.ts'

const help = `
FILE is CSV or NDJSON, plain or .gz, with the columns
  date,asset,score,forward_return[,market]
forward_return is a fraction (0.025 is +2.5%); an empty score or return is missing. Everything is computed here: no
server, no database, no network.

Several values of --quantile, --weighting, --hold-days or --direction, with commas between them, are a grid of
configurations, of which the best is shown with what the choice is worth. --sweep tries the standard grid of 48.

Exit code: 0 computed; 1 computed, with warnings that are shown; 2 not computed.

Examples:
  asfiled backtest scores.csv
  asfiled backtest scores.csv.gz --quantile .1 --weighting rank --hold-days 5 --cost-bps 10
  asfiled backtest scores.csv --sweep --html sheet.html
  asfiled backtest scores.ndjson --quantile .05,.1,.2 --hold-days 1,5,21 --json result.json`

/** `backtest`: the service's backtest of a file, offline. */
export function addBacktestCommand(program: Command, context: CliContext): void {
  program
    .command('backtest')
    .description('backtest a ranking from a file, offline, and show it as text, JSON or HTML')
    .argument('<file>', '.csv, .ndjson or .jsonl, also with .gz')
    .option('--quantile <share>', 'share of the names in each leg, 0.01 to 0.5 (default: 0.1)')
    .option('--weighting <name>', 'equal, rank or score (default: equal)')
    .option('--hold-days <days>', 'trading days that a name is held (default: --return-days)')
    .option('--direction <name>', 'long_short or long_only (default: long_short)')
    .option('--return-days <days>', 'trading days of forward_return (default: spacing of the dates)', number)
    .option('--cost-bps <bps>', 'flat cost of a round trip (default: each market’s own)', number)
    .option('--borrow-bps <bps>', 'cost of borrowing a year (default: 50)', number)
    .option('--gross <exposure>', 'gross exposure of the book (default: 1)', number)
    .addOption(new Option('--neutral <what>', 'form the legs inside each market').choices(['market']))
    .option('--drift', 'let old weights grow with their returns')
    .option('--folds <count>', 'walk-forward blocks (default: 5)', number)
    .option('--sweep', 'try the standard grid of 48 configurations')
    .option('--include <parts>', 'ic, quantiles, monthly, positions, with commas (default: all with --html)')
    .option('--title <text>', 'title of the HTML (default: name of the file)')
    .option('--json <file>', 'write the result as JSON')
    .option('--html <file>', 'write a tear sheet that opens in any browser')
    .addHelpText('after', help)
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (path: string, options: BacktestOptions) => {
      process.exitCode = await run(context, path, options)
    })
}

async function run({ config }: CliContext, path: string, options: BacktestOptions): Promise<number> {
  const query = toQuery(options)
  if (options.json !== undefined && options.html !== undefined) requireTwoFiles(options.json, options.html)
  const file = await openPanel(path)
  const result = await compute(config, file, query)
  if (options.json !== undefined) await write(options.json, JSON.stringify(result))
  if (options.html !== undefined) await write(options.html, tearSheet(result, options.title ?? file.name))
  console.log(backtestSummary(result, file.name, process.stdout.columns || 100))
  return result.warnings.length > 0 ? 1 : 0
}

/** The first half of the way is reading, the second the configurations of a sweep. */
async function compute(
  config: Config,
  file: PanelFile,
  query: ReturnType<typeof toQuery>,
): Promise<BacktestResult> {
  const progress = startProgress('Backtesting', () => performance.now())
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
    const written = await runBacktest({ pool, archive: noArchive, markets: costs.plain }, body, undefined, {
      format: file.format,
      query,
      onProgress: (done, total) => {
        const note = `${done} of ${total} configurations`
        progress.update({ done: file.size + (file.size * done) / total, total: 2 * file.size, note })
      },
    })
    return readWritten(written)
  } finally {
    progress.stop()
    await pool.close()
  }
}

const noArchive = {
  atHand: async () => [],
  get: () =>
    Promise.reject(
      new Failure('parameter_invalid', 'The file has no rows of its own, and there is no archive here.'),
    ),
}

async function write(path: string, text: string): Promise<void> {
  await writeWhole(path, text)
  console.error(`Wrote ${path}.`)
}

function requireTwoFiles(json: string, html: string): void {
  if (resolve(json) !== resolve(html)) return
  throw new Failure('parameter_invalid', `--json and --html both name ${json}. Give each a file of its own.`)
}

function number(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new InvalidArgumentError('A number is needed.')
}

/** As commander hands them over; lists are still text. */
export interface BacktestOptions {
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

const everything = 'ic,quantiles,monthly,positions'

type Value = string | number

/** The fields of a request, as a query writes them; the worker checks their values by the schema. An option with several
 * values makes a grid. */
export function toQuery(options: BacktestOptions): BodyQuery {
  const { returnDays, costBps, borrowBps, gross, neutral, drift, folds } = options
  const axes: Record<string, Value[]> = {
    ...axis('quantile', options.quantile, numberOf('--quantile')),
    ...axis('weighting', options.weighting, text => text),
    ...axis('holdDays', options.holdDays, numberOf('--hold-days')),
    ...axis('direction', options.direction, text => text),
  }
  const single = Object.entries(axes).filter(([, values]) => values.length === 1)
  const grid = Object.fromEntries(Object.entries(axes).filter(([, values]) => values.length > 1))
  const isGrid = Object.keys(grid).length > 0
  if (options.sweep && (isGrid || single.some(([name]) => name !== 'direction'))) throw sweepAndValues()
  const config = JSON.stringify({
    ...{ returnDays, costBps, borrowBps, gross, neutral, drift, folds },
    ...Object.fromEntries(single.map(([name, [value]]) => [name, value])),
  })
  const include = options.include ?? (options.html === undefined ? undefined : everything)
  return {
    ...(config === '{}' ? {} : { config }),
    ...(isGrid ? { sweep: JSON.stringify(grid) } : options.sweep ? { sweep: 'true' } : {}),
    ...(include === undefined ? {} : { include }),
  }
}

function axis(
  name: string,
  text: string | undefined,
  read: (part: string) => Value,
): Record<string, Value[]> {
  return text === undefined ? {} : { [name]: text.split(',').map(part => read(part.trim())) }
}

function numberOf(option: string): (text: string) => number {
  return text => {
    const value = Number(text)
    if (text !== '' && Number.isFinite(value)) return value
    throw new Failure(
      'parameter_invalid',
      `${option}: ${JSON.stringify(text)} is no number. Send one, or several with commas between them.`,
    )
  }
}

function sweepAndValues(): Failure {
  return new Failure(
    'parameter_invalid',
    '--sweep tries a grid of its own: 48 of --quantile, --weighting and --hold-days. Leave those out, or leave --sweep out and give several values with commas between them.',
  )
}
