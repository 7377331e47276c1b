import { maxSweepConfigurations } from '../../backtest/request.ts'
import { horizons } from '../../horizons.ts'
import { html, type Markup } from '../../html.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import {
  type Choice,
  checkField,
  choiceField,
  dayField,
  type FieldState,
  numberField,
  radioField,
  textField,
} from './fields.ts'

/** What the form says about this server's archive. */
export interface ArchiveFacts {
  readonly markets: readonly string[]
  readonly horizons: readonly string[]
  readonly days: { readonly first: string; readonly last: string } | null
}

export interface FormParts {
  readonly archive: ArchiveFacts
  /** Metrics by which companies may be ranked. */
  readonly metrics: readonly string[]
  /** The number of names in the shipped archive, and how many of them have figures. */
  readonly shipped: { readonly names: number; readonly withFigures: number }
  readonly maxMb: number
  /** The price sets that the runner may see. */
  readonly priceSets: readonly Pick<PriceSet, 'name' | 'currency'>[]
}

/** The form of a backtest: rows, configuration and sweep. It works without JavaScript. */
export function runForm(parts: FormParts, state: FieldState): Markup {
  return html`<form id="run" class="backtest" method="post" action="/backtest" enctype="multipart/form-data">
${rowsPart(parts, state)}
${configPart(state)}
${gridPart(state)}
<p class="row"><button name="do" value="run" class="first">Run</button> <button name="do" value="check">Check the file</button></p>
</form>`
}

const sameLabels = (values: readonly string[]): Choice[] => values.map(value => [value, value])

function rowsPart(parts: FormParts, state: FieldState): Markup {
  const { archive, metrics, shipped, maxMb } = parts
  const { days } = archive
  const span = days === null ? 'The archive is empty.' : `It covers ${days.first} to ${days.last}.`
  return html`<fieldset><legend>Rows</legend>
${radioField('rows', state, 'archive', true, 'The archive of forecasts')}
<div class="settings" data-for="archive">
${choiceField('market', state, { label: 'Market', help: 'One market, or one ranking across all of them.' }, [['', 'all'], ...sameLabels(archive.markets)])}
${choiceField('horizon', state, { label: 'Horizon', help: 'How far ahead the forecasts look, and over how many days their returns are measured.' }, sameLabels(archive.horizons))}
${dayField('from', state, { label: 'From', help: `First day, as YYYY-MM-DD. ${span}` })}
${dayField('to', state, { label: 'To', help: `Last day, as YYYY-MM-DD. ${span}` })}
${textField('score', state, { label: 'Rank by a metric', example: 'forecast', list: 'metrics', help: html`Leave empty to rank by the forecast. A metric such as <code>roe</code> ranks companies by what they had filed before each day; choose a market as well. Only ${shipped.withFigures} of the ${shipped.names} names in the shipped archive ${shipped.withFigures === 1 ? 'has' : 'have'} figures from that time, so there it only shows how this works.` })}
${numberField('maxAgeDays', state, { label: 'Maximum age of a figure, days', step: '1' })}
<datalist id="metrics">${metrics.map(name => html`<option value="${name}"></option>`)}</datalist>
</div>
${radioField('rows', state, 'file', false, 'Your own file')}
<div class="settings" data-for="file">
<div class="setting wide-setting${state.faulty === 'file' && ' faulty'}" id="drop"><label for="f-file">CSV, NDJSON, Parquet or Arrow stream, plain or gzipped</label>
<input id="f-file" name="file" type="file" accept=".csv,.gz,.ndjson,.jsonl,.parquet,.arrow,.arrows,text/csv" aria-describedby="h-file">
<p class="help" id="h-file">The columns are <code>date, asset, score, forward_return</code>, optionally with <code>market</code>, <code>dollar_volume</code> and <code>borrow_bps</code>; <code>close</code> may replace <code>forward_return</code>. Files of forecasts from this service work too. At most ${maxMb} MB and 25,000,000 rows. <span class="with-script">You can also drop the file here.</span></p></div>
${choiceField('fileHorizon', state, { label: 'Horizon of the file', help: 'For files with forecasts of several horizons.' }, [['', 'the only one'], ...sameLabels(horizons)])}
</div>
</fieldset>${parts.priceSets.length > 0 && returnsPart(parts.priceSets, state)}`
}

const entries: readonly Choice[] = [
  ['', 'the next close'],
  ['0', 'the close of the date'],
  ['2', 'the second close after the date'],
]

/** Only for those who may see a price set: to others there is none. */
function returnsPart(sets: FormParts['priceSets'], state: FieldState): Markup {
  return html`<fieldset><legend>Returns</legend><div class="settings">
${choiceField('priceSet', state, { label: 'From', help: html`A <a href="/prices">price set</a> that your key may see. Its returns replace those of the rows, so a file needs no <code>forward_return</code>, and its <code>asset</code> is the ID of a company.` }, [['', 'the rows themselves'], ...sets.map(({ name, currency }): Choice => [name, `the prices of ${name}, ${currency}`])])}
${numberField('priceHorizon', state, { label: 'Trading days of a return', step: '1', help: 'From the close of entry to the close of exit. Leave empty for the return period, the horizon or the spacing of the dates.' })}
${choiceField('entryLag', state, { label: 'Trade at', help: 'At the close of the date itself, the scores must have been known before that close.' }, entries)}
${numberField('priceDelisting', state, { label: 'Delisting return assumed', step: 'any', help: 'After the last close of a name whose prices end without a stated return. The report shows what 0 and -1 change.' })}
${dayField('known', state, { label: 'Prices known by', help: 'Only prices that were known by the end of this day, as YYYY-MM-DD. Leave empty for today.' })}
</div></fieldset>`
}

const directions: readonly Choice[] = [
  ['', 'long and short'],
  ['long_only', 'long only'],
]
const weightings: readonly Choice[] = [
  ['', 'equal'],
  ['rank', 'by rank'],
  ['score', 'by score'],
]
const neutrals: readonly Choice[] = [
  ['', 'across markets'],
  ['market', 'within each market'],
]
const demeans: readonly Choice[] = [
  ['', 'no mean'],
  ['market', 'the mean of the market'],
  ['group', 'the mean of the group'],
  ['market,group', 'the mean of market and group'],
]
const benchmarks: readonly Choice[] = [
  ['', 'by the legs'],
  ['cash', 'cash'],
  ['universe', 'the universe'],
]

function configPart(state: FieldState): Markup {
  return html`<fieldset><legend>Configuration</legend><div class="settings">
${numberField('quantile', state, { label: 'Quantile', step: '0.01', slides: true, help: 'Share of the names in each leg: 0.1 of 88 names is 8 long and 8 short. With fewer names, the portfolio follows the score more closely but varies more.' })}
${choiceField('weighting', state, { label: 'Weights', help: 'Weights within a leg: equal, by rank, or by the distance of the score from its mean.' }, weightings)}
${choiceField('direction', state, { label: 'Legs', help: 'A short leg cancels out the market, but you pay to borrow.' }, directions)}
${numberField('holdDays', state, { label: 'Days held', step: '1', help: 'In trading days, a multiple of the return period. Holding longer means less trading and lower costs. Leave empty for one return period.' })}
${numberField('folds', state, { label: 'Walk-forward blocks', step: '1', slides: true, help: 'Each block is tested with what was chosen on the blocks before it.' })}
${numberField('costBps', state, { label: 'Round trip, bps', step: 'any', help: "Replaces the cost of each market. Leave empty for the market's own cost; the report names its source." })}
${numberField('borrowBps', state, { label: 'Borrowing, bps per year', step: 'any', help: 'The cost of the short leg.' })}
${numberField('gross', state, { label: 'Exposure', step: 'any', help: 'Long plus short positions, as a multiple of equity.' })}
${numberField('returnDays', state, { label: 'Return period, days', step: '1', help: 'The trading days that forward_return covers. Leave empty for the horizon, or for the spacing of the dates.' })}
${choiceField('neutral', state, { label: 'Legs are formed', help: 'If legs are formed within each market, no market is bet against another.' }, neutrals)}
${choiceField('demean', state, { label: 'Taken out of scores', help: 'Subtracted on each date before names are ranked. Groups are in the column group of your file.' }, demeans)}
${textField('regress', state, { label: 'Regressed on', example: 'beta, size', help: 'Columns of your file with numbers: names are ranked by what a regression on them, date by date, does not explain.' })}
${textField('scores', state, { label: 'Scores to try', example: 'value, quality', help: 'Columns of your file that are tried instead of score, each alone and combined. All of them count as trials.' })}
${choiceField('benchmark', state, { label: 'Benchmark', help: html`By default cash for long and short legs, and the equal-weight universe for long only. To compare with other returns, such as those of an index, send them as <code>benchmark</code> to <a href="/docs/guides/backtests"><code>POST /api/v1/backtest</code></a>, or use a file: <code>asfiled backtest rows.csv --benchmark index.csv</code>.` }, benchmarks)}
<div class="setting${state.faulty === 'factors' && ' faulty'}"><label for="f-factors">Factors</label>
<input id="f-factors" name="factors" type="file" accept=".csv,.txt,text/csv" aria-describedby="h-factors">
<p class="help" id="h-factors">What may explain the record: a file of Kenneth French’s data library as downloaded and unzipped, or CSV of <code>date</code>, factors and <code>RF</code> as fractions. The report then shows alpha, betas and what they leave.</p></div>
</div>${checkField('drift', state, 'true', 'Measure turnover from weights that have drifted with returns')}${tradingPart(state)}</fieldset>`
}

const calendars: readonly Choice[] = [
  ['', 'on every period'],
  ['weekly:FRI', 'at the end of each week'],
  ['month_end', 'at the end of each month'],
  ['quarter_end', 'at the end of each quarter'],
]

const advanced = [
  'rebalance',
  'entryDates',
  'delistingReturn',
  'maxTurnover',
  'maxWeight',
  'targetVolatility',
  'maxLeverage',
  'impact',
  'capital',
] as const

/** Open if one of its fields was typed or is at fault. */
function tradingPart(state: FieldState): Markup {
  const isOpen = advanced.some(name => state.typed[name] !== undefined || state.faulty === name)
  return html`<details${isOpen && ' open'}><summary>Advanced: closes, calendars and limits</summary><div class="settings">
${choiceField('rebalance', state, { label: 'Trade', help: 'Daily returns are compounded in between.' }, calendars)}
${numberField('entryDates', state, { label: 'Dates to the entry', step: '1', help: 'For files with a column close in place of forward_return: 1 trades at the next close, 0 at the close of the date of the score.' })}
${numberField('delistingReturn', state, { label: 'Delisting return', step: 'any', help: 'With closes: what is assumed to follow the last close of a name that ended. -0.3 if empty.' })}
${numberField('maxTurnover', state, { label: 'Highest turnover', step: 'any', help: 'Of one period. Every trade is cut in proportion.' })}
${numberField('maxWeight', state, { label: 'Highest weight', step: 'any', help: 'Of one name. The excess goes to the other names of its leg.' })}
${numberField('targetVolatility', state, { label: 'Volatility target', step: 'any', help: 'Per year, as a fraction. The exposure follows the volatility of past returns.' })}
${numberField('maxLeverage', state, { label: 'Highest leverage', step: 'any', help: 'Limit of the volatility target. 2 if empty.' })}
${numberField('impact', state, { label: 'Impact coefficient', step: 'any', help: 'Square-root impact; needs the capital and a column dollar_volume.' })}
${numberField('capital', state, { label: 'Capital', step: 'any', help: 'In the currency of dollar_volume.' })}
</div></details>`
}

function gridPart(state: FieldState): Markup {
  const usual = state.typed.run === undefined
  return html`<fieldset><legend>What to try</legend>
${radioField('run', state, 'one', usual, 'This configuration')}
${radioField('run', state, 'sweep', false, 'The default grid: 48 combinations of quantile, weights and days held')}
${radioField('run', state, 'grid', false, 'My own grid')}
<div class="settings" data-for="grid">
${textField('quantiles', state, { label: 'Quantiles', example: '0.05, 0.1, 0.2', help: 'Values from 0.01 to 0.5.' })}
${textField('weightings', state, { label: 'Weights', example: 'equal, rank, score', help: 'One or more of equal, rank and score.' })}
${textField('holds', state, { label: 'Days held', example: '1, 5, 21', help: `Every combination is tried, up to ${maxSweepConfigurations.toLocaleString('en-US')}. The more you try, the better the best one has to be.` })}
</div><div class="settings">
${numberField('trials_already_tried', state, { label: 'Tried before', step: '1', help: 'Configurations that you tried before this run. They count in the verdict as well: the more you tried, the better this record has to be.' })}
</div></fieldset>`
}
