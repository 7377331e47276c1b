import { maxSweepConfigurations } from '../../backtest/request.ts'
import { horizons } from '../../horizons.ts'
import { html, type Markup } from '../../html.ts'
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

/** What the form says of the archive of this server. */
export interface ArchiveFacts {
  readonly markets: readonly string[]
  readonly horizons: readonly string[]
  readonly days: { readonly first: string; readonly last: string } | null
}

export interface FormParts {
  readonly archive: ArchiveFacts
  /** Names of metrics by which companies may be ranked. */
  readonly metrics: readonly string[]
  /** How many names of the shipped archive there are, and how many of them have figures. */
  readonly shipped: { readonly names: number; readonly withFigures: number }
  readonly maxMb: number
}

/** The form of a backtest: rows, configuration, what is tried. Without script it is sent as it is. */
export function runForm(parts: FormParts, state: FieldState): Markup {
  return html`<form id="run" class="backtest" method="post" action="/backtest" enctype="multipart/form-data">
${rowsPart(parts, state)}
${configPart(state)}
${gridPart(state)}
<p class="row"><button name="do" value="run" class="first">Run</button> <button name="do" value="check">Check the file</button></p>
</form>`
}

const sameLabels = (values: readonly string[]): Choice[] => values.map(value => [value, value])

function rowsPart({ archive, metrics, shipped, maxMb }: FormParts, state: FieldState): Markup {
  const { days } = archive
  const span = days === null ? 'The archive is empty.' : `It has ${days.first} to ${days.last}.`
  return html`<fieldset><legend>Rows</legend>
${radioField('rows', state, 'archive', true, 'The archive of forecasts')}
<div class="settings" data-for="archive">
${choiceField('market', state, { label: 'Market', help: 'One market, or all of them in one ranking.' }, [['', 'all'], ...sameLabels(archive.markets)])}
${choiceField('horizon', state, { label: 'Horizon', help: 'How far ahead a forecast looks, and how long its return is earned.' }, sameLabels(archive.horizons))}
${dayField('from', state, { label: 'From', help: `First day. ${span}` }, days)}
${dayField('to', state, { label: 'To', help: `Last day. ${span}` }, days)}
${textField('score', state, { label: 'Rank by a metric', example: 'forecast', list: 'metrics', help: html`Empty: by the forecast. A metric such as <code>roe</code> ranks companies by what was filed before each day; choose a market, too. Of the ${shipped.names} names of the shipped archive only ${shipped.withFigures} ${shipped.withFigures === 1 ? 'has' : 'have'} figures in time, so there it shows how it works and no more.` })}
${numberField('maxAgeDays', state, { label: 'Oldest figure, days', step: '1' })}
<datalist id="metrics">${metrics.map(name => html`<option value="${name}"></option>`)}</datalist>
</div>
${radioField('rows', state, 'file', false, 'A file of yours')}
<div class="settings" data-for="file">
<div class="setting wide-setting${state.faulty === 'file' && ' faulty'}" id="drop"><label for="f-file">CSV, NDJSON or Parquet, plain or gzipped</label>
<input id="f-file" name="file" type="file" accept=".csv,.gz,.ndjson,.jsonl,.parquet,text/csv" aria-describedby="h-file">
<p class="help" id="h-file">Columns <code>date, asset, score, forward_return</code> and maybe <code>market</code> and <code>dollar_volume</code>, or forecasts as this service writes them. At most ${maxMb} MB and 25,000,000 rows. <span class="with-script">Or drop the file here.</span></p></div>
${choiceField('fileHorizon', state, { label: 'Horizon of the file', help: 'Of a file with forecasts of several horizons.' }, [['', 'its only one'], ...sameLabels(horizons)])}
</div>
</fieldset>`
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
const benchmarks: readonly Choice[] = [
  ['', 'by the legs'],
  ['cash', 'cash'],
  ['universe', 'the universe'],
]

function configPart(state: FieldState): Markup {
  return html`<fieldset><legend>Configuration</legend><div class="settings">
${numberField('quantile', state, { label: 'Quantile', step: '0.01', slides: true, help: 'Share of the names in each leg: .1 of 88 names are 8 long and 8 short. Fewer names follow the score more closely and vary more.' })}
${choiceField('weighting', state, { label: 'Weights', help: 'Within a leg: all alike, by place, or by the distance of the score from its mean.' }, weightings)}
${choiceField('direction', state, { label: 'Legs', help: 'With a short leg the market cancels out; borrowing costs.' }, directions)}
${numberField('holdDays', state, { label: 'Days held', step: '1', help: 'Trading days, a multiple of the days of a return. Longer trades less and costs less. Empty: one return.' })}
${numberField('folds', state, { label: 'Unseen blocks', step: '1', slides: true, help: 'Walk-forward blocks: each is tested after all before it.' })}
${numberField('costBps', state, { label: 'Round trip, bps', step: 'any', help: "Replaces each market's own cost. Empty: the market's, with its source in the report." })}
${numberField('borrowBps', state, { label: 'Borrowing, bps a year', step: 'any', help: 'Of the short leg.' })}
${numberField('gross', state, { label: 'Exposure', step: 'any', help: 'Long and short together, as a multiple of equity.' })}
${numberField('returnDays', state, { label: 'Days of a return', step: '1', help: 'Over which forward_return is earned. Empty: the horizon, or the spacing of the dates.' })}
${choiceField('neutral', state, { label: 'Legs are formed', help: 'Within each market no market is bet on against another.' }, neutrals)}
${choiceField('benchmark', state, { label: 'Judged against', help: html`By the legs: cash for long and short, the equal-weight universe for long only. Returns of your own, such as those of an index, are sent as <code>benchmark</code> to <a href="/docs/guides/backtests"><code>POST /api/v1/backtest</code></a>, or as a file: <code>asfiled backtest rows.csv --benchmark index.csv</code>.` }, benchmarks)}
</div>${checkField('drift', state, 'true', 'Measure turnover from weights that have grown with their returns')}</fieldset>`
}

function gridPart(state: FieldState): Markup {
  const usual = state.typed.run === undefined
  return html`<fieldset><legend>What to try</legend>
${radioField('run', state, 'one', usual, 'This configuration')}
${radioField('run', state, 'sweep', false, 'The default grid: 48 combinations of quantile, weights and days held')}
${radioField('run', state, 'grid', false, 'My own grid')}
<div class="settings" data-for="grid">
${textField('quantiles', state, { label: 'Quantiles', example: '0.05, 0.1, 0.2', help: 'Values from .01 to .5.' })}
${textField('weightings', state, { label: 'Weights', example: 'equal, rank, score', help: 'Of equal, rank and score.' })}
${textField('holds', state, { label: 'Days held', example: '1, 5, 21', help: `Every combination is tried, at most ${maxSweepConfigurations.toLocaleString('en-US')}. The more are tried, the higher is the bar that the best one must pass.` })}
</div></fieldset>`
}
