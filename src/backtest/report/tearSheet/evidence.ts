import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import type { EvidenceUsed } from '../../resultEvidence.ts'
import { stripChart } from '../chart/strip.ts'
import { count, percent, probability, pValue, ratio } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'
import { type Tile, tileList } from './tiles.ts'

/** The tests behind the verdict, and where each of them may mislead. */
export function evidenceSection(
  evidence: EvidenceUsed,
  { deflated_sharpe: deflated }: BacktestResult,
): Markup {
  const { spa, interval, cpcv, notes } = evidence
  return html`${spa && spaTable(spa, evidence, deflated?.trials ?? 1)}
${tileList(
  [...(interval ? [intervalTile(interval)] : []), ...recordTiles(evidence), ...overfittingTiles(deflated)],
  'small',
)}
${cpcv && crossValidation(cpcv, evidence)}
${notes.length > 0 && html`<h3>Where these figures may mislead</h3><ul class="notes">${notes.map(({ message }) => html`<li>${message}</li>`)}</ul>`}
<p class="absent">Resamples: ${count(evidence.bootstraps)}, in blocks of ${ratio(evidence.mean_block, 1)} periods on average${evidence.mean_block_chosen && ' (chosen from the record)'}, seed ${String(evidence.seed)}. The same seed gives the same figures.</p>`
}

const rivals: Readonly<Record<EvidenceUsed['benchmark'], string>> = {
  cash: 'cash',
  universe: 'the universe',
  series: 'the benchmark that was sent',
  by_direction: 'what its direction is judged against (cash, or the universe if long only)',
}

function spaTable(
  spa: NonNullable<EvidenceUsed['spa']>,
  { benchmark, bootstraps }: EvidenceUsed,
  trials: number,
): Markup {
  const rival = rivals[benchmark]
  const subject = trials === 1 ? 'this configuration' : 'the best configuration'
  if (spa.statistic === 0)
    return html`<p>Superior predictive ability: ${trials === 1 ? 'the configuration' : 'no configuration'} ${trials === 1 ? 'does not beat' : 'beats'} ${rival} in its mean return, so there is nothing to test.</p>`
  const rows: [string, number][] = [
    ['SPA, consistent', spa.consistent],
    ['SPA, lower bound', spa.lower],
    ['SPA, upper bound', spa.upper],
    ["White's reality check", spa.reality_check],
  ]
  return html`<p>Does ${subject} beat ${rival} by more than luck? The p-value is the chance of a record this good if none does. Below 5% is the usual bar; the verdict asks for a little less of a short record.</p>
${scrollTable(
  'Superior predictive ability',
  html`<table><thead><tr><th scope="col">Superior predictive ability</th><th scope="col">p-value</th></tr></thead>
<tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${pValue(value, bootstraps)}</td></tr>`)}</tbody></table>`,
)}`
}

function intervalTile({ low, high, level }: NonNullable<EvidenceUsed['interval']>): Tile {
  return {
    name: 'Sharpe interval',
    plain: `${percent(level, 0)} of resamples`,
    value: `${ratio(low)} to ${ratio(high)}`,
    means: 'Annualised, by resampling blocks of the record; not corrected for the number of trials.',
  }
}

function recordTiles({ track_record: record }: EvidenceUsed): Tile[] {
  if (record === undefined) return []
  return [
    {
      name: 'Probabilistic Sharpe',
      plain: 'one trial',
      value: probability(record.psr),
      means: 'Probability of a worse record if the true Sharpe ratio were 0.',
    },
    {
      name: 'Min track record',
      plain: 'periods needed',
      value:
        record.min_track_record_periods === null
          ? 'Never'
          : count(Math.ceil(record.min_track_record_periods)),
      means: `For a Probabilistic Sharpe ratio of 95%; the record has ${count(record.n_periods)}.`,
    },
    {
      name: 'Skewness',
      plain: 'lopsided returns',
      value: ratio(record.skew),
      means: 'Below 0, large losses outweigh large gains.',
    },
    {
      name: 'Kurtosis',
      plain: 'fat tails',
      value: ratio(record.kurtosis_raw),
      means: 'A normal distribution has 3; above it, extreme periods are more frequent.',
    },
  ]
}

function overfittingTiles(deflated: BacktestResult['deflated_sharpe']): Tile[] {
  if (deflated === undefined) return []
  return [
    {
      name: 'Deflated Sharpe',
      plain: `${count(deflated.trials)} trials`,
      value: ratio(deflated.dsr, 3),
      means: 'As the verdict has it, after the luck of choosing.',
    },
    {
      name: 'PBO',
      plain: 'overfitting',
      value: percent(deflated.pbo),
      means: 'How often the best of one half is in the lower half of the field on the other.',
    },
  ]
}

/** The distribution of out-of-sample Sharpe ratios over the paths. */
function crossValidation(
  { paths, median, share_above_0, choices }: NonNullable<EvidenceUsed['cpcv']>,
  { groups, test_groups }: EvidenceUsed,
): Markup {
  const known = paths.filter(path => path !== null)
  if (known.length === 0 || median === null) return html`<p class="absent">No path has a Sharpe ratio.</p>`
  const min = known.reduce((a, b) => Math.min(a, b))
  const max = known.reduce((a, b) => Math.max(a, b))
  return html`<h3>Combinatorial cross-validation</h3>
<p>The record in ${count(groups)} groups, ${count(test_groups)} of them unseen at a time, in all ${count(choices)} ways. Joined, they make ${count(paths.length)} whole records of unseen periods, ${percent(share_above_0, 0)} of them with a Sharpe ratio above 0. Training periods may come after the test.</p>
${stripChart({
  id: 'cpcv',
  title: 'Sharpe ratios of the unseen paths',
  description: `They run from ${ratio(min)} to ${ratio(max)}; their median is ${ratio(median)}.`,
  values: known,
  own: { name: 'median', value: median },
  compared: { name: 'no gain: 0', value: 0, isBare: true },
})}`
}
