import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import { type FilingRounding, isOneAmount, roundingOf } from '../../../facts/rounding.ts'
import { unitOf } from '../../reading/fields.ts'
import type { NamedFaults } from '../../reading/namedFaults.ts'
import { usesOfTag } from './concepts.ts'

/** A metric that the figures of a tag and a unit may report. */
interface Target {
  readonly tag: string
  readonly metric: string
  readonly unit: string
  readonly isFlow: boolean
}

/** Empty if the service does not use the tag. */
export const targetsOf = (name: string, rawUnit: string): readonly Target[] =>
  (usesOfTag(name) ?? []).flatMap(({ tag, metric, concept }) => {
    const unit = unitOf(rawUnit, concept.unitKind)
    return unit === null ? [] : [{ tag, metric, unit, isFlow: concept.kind === 'flow' }]
  })

interface Figure {
  readonly filing: Filing
  readonly start: number | null
  readonly end: number
  readonly value: number
}

/**
 * The figures of one tag and unit that filings state without dimensions, as reported facts: one for each filing and
 * period. Companyfacts and packages of filings both pass here, so that they give the same facts of a filing.
 */
export class StatedFigures {
  readonly #facts: ReportedFact[]
  readonly #contradictions: NamedFaults
  readonly #stated = new Map<string, ReportedFact[]>()

  constructor(facts: ReportedFact[], contradictions: NamedFaults) {
    this.#facts = facts
    this.#contradictions = contradictions
  }

  /** @param place names the figure in messages */
  add(targets: readonly Target[], figure: Figure, place: () => string): void {
    const { filing, start, end, value } = figure
    const key = `${filing.accession} ${start} ${end}`
    const known = this.#stated.get(key)
    if (known !== undefined) {
      this.#settle(known, figure, place)
      return
    }
    const ofFigure: ReportedFact[] = []
    for (const { tag, metric, unit, isFlow } of targets) {
      if (isFlow !== (start !== null)) continue
      ofFigure.push({ metric, tag, unit, start, end, value, rounded: false, filing })
    }
    this.#stated.set(key, ofFigure)
  }

  finish(): void {
    for (const ofFigure of this.#stated.values()) this.#facts.push(...ofFigure)
  }

  /**
   * Handles a figure that a filing states again. Of two values that differ only by rounding the finer one is used,
   * otherwise the first: the statements precede the notes. Not all sources state decimals, so they do not decide.
   */
  #settle(known: ReportedFact[], { value, filing }: Figure, place: () => string): void {
    const [first] = known
    if (first === undefined) return
    const kept = isFiner(value, first) ? value : first.value
    // If the register states two days for the filing, the later one counts.
    if (kept !== first.value || filing !== first.filing)
      for (const [at, reported] of known.entries()) known[at] = { ...reported, value: kept, filing }
    if (first.value === value) return
    const other = kept === value ? first.value : value
    const why = kept === value ? 'which has more digits' : 'the first of them'
    this.#contradictions.add(
      `${place()}: ${first.value} and ${value}; ${kept} is taken, ${why}, and not ${other}`,
    )
  }
}

const coarse: FilingRounding = new Map([['', 1_000_000]])

function isFiner(value: number, { value: first }: ReportedFact): boolean {
  const [a, b] = [value, first].map(one => ({ value: one, unit: '', rounding: roundingOf(one, '', coarse) }))
  return isOneAmount(a, b) && a.rounding < b.rounding
}
