import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { sizeOf } from '../backtest/codec/bodyBytes.ts'
import type { BacktestSettings, PanelBody } from '../backtest/panelFile/panelBody.ts'
import { panelFormats } from '../backtest/panelFile/panelFormat.ts'
import { decodeResult } from '../backtest/pipeline/encodeResult.ts'
import { operator } from '../backtest/pool/caller.ts'
import { ComputePool } from '../backtest/pool/computePool.ts'
import { tearSheet } from '../backtest/report/tearSheet/page.ts'
import { combinations } from '../backtest/requestColumns.ts'
import { rebalanceRules } from '../backtest/requestTrading.ts'
import type { BacktestResult, BacktestWarning } from '../backtest/result.ts'
import type { Config } from '../config.ts'
import { type ErrorCode, Failure } from '../errors.ts'
import { runBacktest } from '../features/backtests/run.ts'
import { signalLimit } from '../features/signals/schema.ts'
import { horizons } from '../horizons.ts'
import { loadMarkets } from '../markets/markets.ts'
import { readBenchmark } from './backtestBenchmark.ts'
import { makeOfflineBody, type OfflineBody } from './backtestBody.ts'
import { parseBetaBound, readFactors } from './backtestFactors.ts'
import {
  type BacktestFlags,
  blamesOption,
  inOptionWords,
  requiredLevels,
  toSettings,
} from './backtestOptions.ts'
import { backtestSummary } from './backtestSummary.ts'
import { reportShortfalls } from './backtestThresholds.ts'
import { type CliContext, exitCodes } from './context.ts'
import { type InputFile, type InputRows, openInput, readInput } from './inputFile.ts'
import { parseDrawdown, parseNumber, parseShare } from './options.ts'
import { grouped, printLine, requireFolder, startProgress, writeFileAtomically } from './output.ts'

const help = `
FILE is CSV, NDJSON, JSON, Parquet or an Arrow stream, plain or gzipped; - is standard input. The format is
recognised. The columns are
  date,asset,score,forward_return[,market][,dollar_volume][,group][,borrow_bps]
with close in place of forward_return to have the returns computed from it, and the columns that --regress, --rank-by
or --scores name. forward_return is a fraction (0.025 is +2.5%); an empty score or return is missing. Files of forecasts work too:
  date,ticker,market,horizon,predicted_pct,actual_pct[,status][,source]
Everything is computed on this machine, without a server, a database or the network. To rank by a metric, or to
compare its vintages, send the rows to POST /api/v1/backtest of a server.

Several comma-separated values of --quantile, --weighting, --hold-days or --direction form a grid of configurations. The
best one is shown, with a test of how much of it selection explains. --sweep tries the standard grid of 48.

Exit code: 0 computed; 1 not computed; 2 wrong usage; 3 computed, but a --fail option was not met. A figure that
cannot be computed meets no bound, and a verdict that is withheld meets no level.

Examples:
  ./asfiled backtest scores.csv
  ./asfiled backtest scores.parquet --quantile .1 --weighting rank --hold-days 5 --cost-bps 10
  ./asfiled backtest forecasts.csv.gz --horizon 1d --sweep --html sheet.html
  ./asfiled backtest scores.csv --factors F-F_Research_Data_Factors.csv --fail-below-alpha-t 2
  ./asfiled backtest scores.ndjson --quantile .05,.1,.2 --hold-days 1,5,21 --json result.json
  my-model | ./asfiled backtest - --sweep --json - --fail-verdict strong --fail-below-max-drawdown -0.2`

/** `backtest`: runs the service's backtest on a file, offline. */
export function addBacktestCommand(program: Command, context: CliContext): void {
  program
    .command('backtest')
    .description('Backtest a ranking from a file, offline, and show it as text, JSON or HTML')
    .argument(
      '<file>',
      'CSV, NDJSON, JSON, Parquet or an Arrow stream, optionally gzipped; - is standard input',
    )
    .addOption(
      new Option('--format <name>', 'Format of the file (default: recognised)').choices(panelFormats),
    )
    .addOption(
      new Option(
        '--horizon <horizon>',
        'Horizon to use, if the file has forecasts (default: its only one)',
      ).choices(horizons),
    )
    .option('--quantile <share>', 'Share of the names in each leg, 0.01 to 0.5 (default: 0.1)')
    .option('--weighting <name>', 'Weights within a leg: equal, rank or score (default: equal)')
    .option('--hold-days <days>', 'Trading days that a name is held (default: --return-days)')
    .option('--direction <name>', 'Legs: long_short or long_only (default: long_short)')
    .option(
      '--return-days <days>',
      'Trading days of forward_return (default: the horizon, or the spacing of the dates)',
      parseNumber,
    )
    .option('--cost-bps <bps>', 'Flat cost of a round trip (default: each market’s own)', parseNumber)
    .option('--borrow-bps <bps>', 'Annual cost of borrowing (default: 50)', parseNumber)
    .option('--gross <exposure>', 'Gross exposure of the portfolio (default: 1)', parseNumber)
    .addOption(
      new Option('--neutral <what>', 'Form the legs within each market, or within each group').choices([
        'market',
        'group',
      ]),
    )
    .option('--drift', 'Measure turnover from weights that have grown with their returns')
    .option(
      '--demean <what>',
      'Subtract the mean score of the same market, group or both (comma-separated) on each date',
    )
    .option(
      '--regress <columns>',
      'Rank by the residuals of a regression of the scores on these columns of the file, on each date',
    )
    .option('--rank-by <columns>', 'Columns of the file that rank the names (default: score)')
    .addOption(
      new Option('--combine <how>', 'With several columns of --rank-by: how they are combined').choices(
        combinations,
      ),
    )
    .option(
      '--scores <columns>',
      'Columns of the file that are tried as scores, each alone and combined, as trials of one sweep',
    )
    .option('--folds <count>', 'Number of walk-forward blocks (default: 5)', parseNumber)
    .addOption(
      new Option(
        '--rebalance <calendar>',
        'Trade only on the last date of each week, month or quarter, and compound daily returns in between',
      ).choices(rebalanceRules),
    )
    .option(
      '--entry-dates <dates>',
      'With closes: dates from the score to the close at which it is traded (default: 1)',
      parseNumber,
    )
    .option(
      '--delisting-return <return>',
      'With closes: return after the last close of a name that ended (default: -0.3)',
      parseNumber,
    )
    .option(
      '--horizons <days>',
      'With closes: several --return-days in one run, comma-separated; each counts as a trial',
    )
    .option(
      '--max-turnover <share>',
      'Highest turnover of a period; trades are cut in proportion',
      parseNumber,
    )
    .option('--max-weight <share>', 'Highest weight of a name', parseNumber)
    .option(
      '--target-volatility <share>',
      'Annualised volatility to scale to, from past returns',
      parseNumber,
    )
    .option('--volatility-periods <count>', 'Past periods for --target-volatility (default: 60)', parseNumber)
    .option('--max-leverage <multiple>', 'Limit of --target-volatility (default: 2)', parseNumber)
    .option('--impact <coefficient>', 'Square-root impact; needs --capital and dollar_volume', parseNumber)
    .option('--capital <amount>', 'Equity in the currency of dollar_volume', parseNumber)
    .option(
      '--impact-periods <count>',
      'Past periods for the volatility of a name (default: 60)',
      parseNumber,
    )
    .option('--sweep', 'Try the standard grid of 48 configurations')
    .option(
      '--include <parts>',
      'Comma-separated: curves, performance, monthly, positions, ic, ic_decay, quantiles, quantile_returns, by_group, spa, interval, track_record, cpcv, capacity (default with --html: what the tear sheet shows)',
    )
    .option('--seed <number>', 'Seed of the resamples of spa and interval (default: 1)', parseNumber)
    .option('--bootstraps <count>', 'Number of resamples (default: 1000)', parseNumber)
    .option(
      '--mean-block <periods>',
      'Mean length of a resample’s blocks (default: chosen from the record)',
      parseNumber,
    )
    .addOption(
      new Option(
        '--benchmark <name>',
        'Benchmark for the verdict: cash, universe, or a CSV, Parquet or Arrow file of date and return (default: cash for long_short, universe for long_only)',
      ),
    )
    .option(
      '--factors <file>',
      'Explain the record by factors: a file of Kenneth French’s data library as downloaded, or CSV of date and factor returns, RF among them',
    )
    .option(
      '--factor-entry-lag <days>',
      'With --factors: trading days from the date of a row to the close at which its return begins (default: 0)',
      parseNumber,
    )
    .option(
      '--factor-lags <periods>',
      'With --factors: lags of the standard errors (default: from the record and --hold-days)',
      parseNumber,
    )
    .option(
      '--factor-window <periods>',
      'With --factors: periods of each rolling regression (default: those of a year, at least 36)',
      parseNumber,
    )
    .option('--groups <count>', 'Groups of periods of cpcv (default: 10)', parseNumber)
    .option('--test-groups <count>', 'Groups that cpcv tests at a time (default: 2)', parseNumber)
    .option(
      '--participation <share>',
      'Largest share of a name’s dollar volume that a trade may be, for capacity (default: 0.01)',
      parseNumber,
    )
    .option(
      '--trials-already-tried <count>',
      'Configurations that you tried before this one; they count in the verdict (default: 0)',
      parseNumber,
    )
    // An unknown option would leave the reader without the reason.
    .addOption(new Option('--compare <vintages>', 'Only on a server').hideHelp())
    .addOption(new Option('--prices <set>', 'Only on a server').hideHelp())
    .option('--title <text>', 'Title of the HTML (default: name of the file)')
    .option(
      '--json <file>',
      'Write the result as JSON; - is standard output, which then carries nothing else',
    )
    .option('--html <file>', 'Write a tear sheet that opens in any browser; - is standard output')
    .addOption(
      new Option(
        '--fail-verdict <level>',
        'Exit with 3 if the verdict is lower than this level, or withheld',
      ).choices(requiredLevels),
    )
    .option(
      '--fail-below-dsr <probability>',
      'Exit with 3 if the Deflated Sharpe ratio of the sweep, or with --trials-already-tried, is lower or cannot be computed',
      parseShare,
    )
    .option(
      '--fail-above-spa <probability>',
      'Exit with 3 if the p-value of the test for superior predictive ability is higher or cannot be computed',
      parseShare,
    )
    .option(
      '--fail-below-sharpe <ratio>',
      'Exit with 3 if the annualised Sharpe ratio after costs is lower or cannot be computed',
      parseNumber,
    )
    .option(
      '--fail-below-ic <correlation>',
      'Exit with 3 if the mean rank correlation of score and return is lower or cannot be computed',
      parseNumber,
    )
    .option(
      '--fail-below-oos-sharpe <ratio>',
      'Exit with 3 if the mean Sharpe ratio of the walk-forward folds is lower or cannot be computed',
      parseNumber,
    )
    .option(
      '--fail-below-max-drawdown <fraction>',
      'Exit with 3 if the max drawdown is deeper, for example -0.2 for a loss of 20%',
      parseDrawdown,
    )
    .option(
      '--fail-above-turnover <share>',
      'Exit with 3 if the mean turnover of a period is higher',
      parseNumber,
    )
    .option(
      '--fail-above-impact <share>',
      'Exit with 3 if the impact paid per year is higher or was not computed',
      parseNumber,
    )
    .option(
      '--fail-above-leverage <multiple>',
      'Exit with 3 if the leverage of the volatility target was ever higher, or there was none',
      parseNumber,
    )
    .option(
      '--fail-below-alpha-t <t>',
      'Exit with 3 if the t value of alpha against --factors is lower or cannot be computed',
      parseNumber,
    )
    .option(
      '--fail-below-residual-sharpe <ratio>',
      'Exit with 3 if the annualised Sharpe ratio of what --factors leave is lower or cannot be computed',
      parseNumber,
    )
    .option(
      '--fail-above-abs-beta <name=x>',
      'Exit with 3 if the beta to this factor is beyond x either way or cannot be computed; repeatable',
      parseBetaBound,
    )
    .addHelpText('after', help)
    .action(async (path: string, flags: BacktestFlags) => {
      process.exitCode = await run(context, path, flags)
    })
}

async function run({ config }: CliContext, path: string, flags: BacktestFlags): Promise<number> {
  if (flags.compare !== undefined) throw comparesOnServer(flags.compare)
  if (flags.prices !== undefined) throw pricesOnServer(flags.prices)
  const benchmark = flags.benchmark === undefined ? undefined : await readBenchmark(flags.benchmark)
  if (flags.factors === undefined) requireNoFactorOptions(flags)
  const factors = flags.factors === undefined ? undefined : await readFactors(flags.factors, flags)
  const settings = {
    ...toSettings(flags),
    ...(benchmark === undefined ? {} : { benchmark }),
    ...(factors === undefined ? {} : { factors }),
  }
  const { json, html, title } = flags
  await checkTargets(path, json, html)
  const file = await openInput(path)
  const { result, notices } = await compute(config, file, settings, flags)
  if (json !== undefined) await write(json, JSON.stringify(result))
  if (html !== undefined) await write(html, tearSheet(result, title ?? file.name))
  const spoken = result.warnings.map(({ code, message }) => ({ code, message: inOptionWords(message) }))
  const warnings = spoken.filter(({ code }) => !costCodes.includes(code))
  for (const { code, message } of spoken) if (costCodes.includes(code)) notices.push(message)
  for (const notice of notices) console.error(`Notice: ${notice}`)
  if (json === '-' || html === '-') for (const { message } of warnings) console.error(`Warning: ${message}`)
  else await printLine(backtestSummary({ ...result, warnings }, file.name, process.stdout.columns || 100))
  return reportShortfalls(result, flags) ? belowThreshold : exitCodes.done
}

/**
 * Many rankings have no markets, and most cover past years, so these are notices about costs rather than
 * reasons to doubt the result.
 */
const costCodes: readonly BacktestWarning['code'][] = ['default_costs', 'costs_after_trading']

/** Reading is the first half of the progress, the configurations of a sweep are the second. */
async function compute(
  config: Config,
  file: InputFile,
  settings: BacktestSettings,
  { format, horizon, failBelowDsr, trialsAlreadyTried = 0 }: BacktestFlags,
): Promise<{ result: BacktestResult; notices: string[] }> {
  const progress = startProgress('Backtesting')
  const release: InputRows[] = []
  const pool = new ComputePool({
    threads: config.computeThreads,
    queue: config.computeQueue,
    timeLimitMs: config.computeTimeoutMs,
  })
  try {
    const input = await readInput(file, read =>
      progress.update({ done: read, total: 2 * (file.size ?? read), note: 'reading' }),
    )
    release.push(input)
    const size = sizeOf(input.body)
    progress.update({ done: size, total: 2 * size, note: 'computing' })
    const body = await makeOfflineBody(input, file.name, { format, horizon }, settings, release).catch(
      error => {
        throw error instanceof Failure ? named(error, error.code, file.name) : error
      },
    )
    const isDeflated =
      settings.sweep !== undefined ||
      settings.scores !== undefined ||
      settings.config?.horizons !== undefined ||
      trialsAlreadyTried > 0
    if (failBelowDsr !== undefined && !isDeflated && !body.mayHaveSettings) throw sweepRequired()
    const result = await runOffline(pool, body, (done, total) => {
      const note = `${done} of ${total} configurations`
      progress.update({ done: size + (size * done) / total, total: 2 * size, note })
    }).catch(error => {
      throw error instanceof Failure ? explain(error, body, settings, file.name) : error
    })
    if (
      failBelowDsr !== undefined &&
      result.deflated_sharpe === undefined &&
      result.horizons === undefined &&
      result.verdict.already_tried === undefined
    )
      throw sweepRequired()
    return { result, notices: [...body.notices, ...(body.next === null ? [] : [pageNotice(body.next)])] }
  } finally {
    progress.stop()
    await pool.close()
    for (const { discard } of release) await discard()
  }
}

/** A long query returns only its newest rows. */
const pageNotice = (next: string) =>
  `The file is one page of /signals: more rows follow it. A larger limit (up to ${grouped(signalLimit.max)}) has more of them, and cursor=${next} continues. With format=ndjson, pages joined in one file are all rows.`

async function runOffline(
  pool: ComputePool,
  { body, format, query }: OfflineBody,
  onProgress: (done: number, total: number) => void,
): Promise<BacktestResult> {
  const { costs } = await loadMarkets()
  const deps = { pool, archive: noArchive, costs: costs.plain }
  return decodeResult(
    await runBacktest(deps, body, undefined, { caller: operator, format, query, onProgress }),
  )
}

/**
 * Rephrases an engine failure for the command line: with the option, or with the file and the location in it.
 */
function explain(
  failure: Failure,
  { placeOf }: Pick<PanelBody, 'placeOf'>,
  settings: BacktestSettings,
  name: string,
): Failure {
  if (blamesOption(failure, settings)) {
    if (failure.code === 'parameter_repeated')
      return new Failure(
        'parameter_invalid',
        `${name} and an option both set ${failure.details.param}. Set it in one of them.`,
      )
    return new Failure('parameter_invalid', inOptionWords(failure.message))
  }
  // The rows are at fault, not the options.
  const code = failure.code.startsWith('parameter_') ? 'body_invalid' : failure.code
  const cell = /\bpanel\.(\w+)\[(\d+)\]/g
  if (placeOf === null) return named(failure, code, name)
  const message = failure.message.replace(cell, (_, column: string, row: string) =>
    placeOf(column, Number(row)),
  )
  return named(new Failure(code, message, { cause: failure }), code, name)
}

const named = (cause: Failure, code: ErrorCode, name: string) =>
  new Failure(code, `${name}: ${cause.message}`, { cause })

const noArchive = {
  recent: async () => [],
  horizons: async () => [],
  get: () =>
    Promise.reject(
      new Failure('body_invalid', 'It contains no rows, and this command has no archive to take them from.'),
    ),
}

/** @param path `-` for standard output */
async function write(path: string, text: string): Promise<void> {
  if (path === '-') return printLine(text)
  await writeFileAtomically(path, text)
  console.error(`Wrote ${path}.`)
}

/** Fails before hours of work, and before a result could overwrite the rows. */
async function checkTargets(rows: string, json: string | undefined, html: string | undefined): Promise<void> {
  for (const [option, target] of Object.entries({ '--json': json, '--html': html })) {
    if (target === undefined) continue
    if (target === '') throw new Failure('parameter_invalid', `${option} is empty. Give a file, or -.`)
    if (target !== '-' && resolve(target) === resolve(rows))
      throw new Failure(
        'parameter_invalid',
        `${option} would overwrite the file with the rows. Give another file.`,
      )
    if (target !== '-') await requireFolder(option, target)
  }
  if (json !== undefined && html !== undefined && resolve(json) === resolve(html))
    throw new Failure('parameter_invalid', `--json and --html both name ${json}. Give each its own file.`)
}

function sweepRequired(): Failure {
  return new Failure(
    'parameter_invalid',
    '--fail-below-dsr requires a sweep, because only the best of several configurations has a Deflated Sharpe ratio. Add --sweep, give several values of an option or of --horizons, or say by --trials-already-tried how many you tried before.',
  )
}

function comparesOnServer(vintages: string): Failure {
  return new Failure(
    'parameter_invalid',
    `--compare shows what other vintages of a metric would have earned, and this command has no figures of companies. Send the rows with score.asOf and compare to POST /api/v1/backtest of a server, for example with ?compare=${vintages} for a CSV body.`,
  )
}

function pricesOnServer(set: string): Failure {
  return new Failure(
    'parameter_invalid',
    `--prices takes returns from a price set, and this command runs without a database. Send the rows to POST /api/v1/backtest of a server with "prices": {"set": "${set}"}, for example with ?prices={"set":"${set}"} for a CSV body.`,
  )
}

/** A file may bring factors of its own, but only as JSON or NDJSON, and those are for the API. */
function requireNoFactorOptions(flags: BacktestFlags): void {
  const option =
    flags.failBelowAlphaT !== undefined
      ? '--fail-below-alpha-t'
      : flags.failBelowResidualSharpe !== undefined
        ? '--fail-below-residual-sharpe'
        : flags.failAboveAbsBeta !== undefined
          ? '--fail-above-abs-beta'
          : flags.factorEntryLag !== undefined
            ? '--factor-entry-lag'
            : flags.factorLags !== undefined
              ? '--factor-lags'
              : flags.factorWindow !== undefined
                ? '--factor-window'
                : null
  if (option !== null)
    throw new Failure(
      'parameter_invalid',
      `${option} is about --factors, which is missing. Give a file of factors.`,
    )
}

const belowThreshold = 3
