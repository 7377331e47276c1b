import { readFilingPackage } from '../../src/ingest/registers/us/filingPackage.ts'
import { quartersOf } from '../../src/wholeFilings/layOut.ts'
import { Terms } from '../../src/wholeFilings/terms.ts'
import type { FigureContext, Statement, WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'
import { filingsOf, readZipFiles } from '../../test/ingest/registers/us/packages.ts'

/** A real filing, prepared so that many filings can be made in its likeness. */
export interface FilingShape {
  readonly filing: WholeFiling
  readonly contexts: readonly FigureContext[]
  readonly slots: readonly Slot[]
  readonly figures: readonly ShapeFigure[]
  /** The figures of a report on a first quarter, whose year to date is the quarter itself. */
  readonly figuresOfFirstQuarter: readonly ShapeFigure[]
  /** The last day of the period that it reports on. */
  readonly end: number
  /** The length in quarters of its year to date. */
  readonly quartersToDate: number
  /** Texts that are a company's own: not of a standard taxonomy, and in fewer than three of the real filings. */
  readonly isOwn: (text: string) => boolean
}

/** A concept with the unit and the dimensions in which the filing states it, for any number of periods. */
interface Slot {
  readonly concept: string
  readonly unit: string
  /** The significant digits of one of its values as an integer, without the sign; null if all values are nil. */
  readonly digits: number | null
  readonly exponent: number
  readonly isNegative: boolean
}

interface ShapeFigure {
  /** Indexes in `slots` and `contexts`. */
  readonly slot: number
  readonly context: number
  readonly decimals: number | null
  readonly isNil: boolean
}

const dataSets = ['fsds/2009q3.zip', 'fsds/20250701.zip']
const applePackage = 'filings/0000320193-25-000057-xbrl.zip'
const minFigures = 20
const standardConcept = /^(us-gaap|dei|srt|ecd|country|currency|exch):/

/**
 * The filings of two data sets, one of a quarter and one of a day, and the package of one filing. Null if the real
 * files are not on this machine.
 */
export async function readFilingShapes(): Promise<readonly FilingShape[] | null> {
  const filings: WholeFiling[] = []
  for (const path of dataSets) {
    const files = await readZipFiles(path)
    if (files === null) return null
    filings.push(...filingsOf(files))
  }
  const documents = await readZipFiles(applePackage)
  if (documents === null) return null
  filings.push(readFilingPackage('0000320193-25-000057', documents).filing)
  const whole = filings.filter(
    ({ figures, statements }) => figures.length >= minFigures && statements.length > 0,
  )
  const shared = new Set(new Terms().propose(whole.map(filing => [filing])))
  const isOwn = (text: string) => !shared.has(text) && !standardConcept.test(text)
  return whole.map(filing => shapeOf(filing, isOwn))
}

function shapeOf(filing: WholeFiling, isOwn: FilingShape['isOwn']): FilingShape {
  const contexts = new Map<FigureContext, number>()
  const slots = new Map<string, { readonly index: number; slot: Slot }>()
  const figures = filing.figures.map(({ concept, context, unit, decimals, value }): ShapeFigure => {
    const key = `${concept} ${unit} ${dimensionsText(context)}`
    const known = slots.get(key) ?? { index: slots.size, slot: slotOf(concept, unit, value) }
    if (known.slot.digits === null) known.slot = slotOf(concept, unit, value)
    slots.set(key, known)
    const at = contexts.get(context) ?? contexts.size
    contexts.set(context, at)
    return { slot: known.index, context: at, decimals, isNil: value === null }
  })
  const all = [...contexts.keys()]
  const end = latestEnd(filing)
  const durations = all.filter(context => context.end === end && context.dimensions.length === 0)
  const quartersToDate = Math.max(1, ...durations.map(quartersOf).filter(quarters => quarters <= 4))
  const stated = new Set<string>()
  const figuresOfFirstQuarter = figures.filter(({ slot, context }) => {
    const quarters = quartersOf(all[context])
    const key = `${slot} ${all[context].end} ${quarters === quartersToDate ? 1 : quarters}`
    const isNew = !stated.has(key)
    stated.add(key)
    return isNew
  })
  return {
    filing,
    contexts: all,
    slots: [...slots.values()].map(({ slot }) => slot),
    figures,
    figuresOfFirstQuarter,
    end,
    quartersToDate,
    isOwn,
  }
}

const dimensionsText = ({ dimensions }: FigureContext) =>
  dimensions.map(({ axis, member }) => `${axis}=${member}`).join(' ')

/** The latest end of a period for which the whole company states a twentieth of the figures. */
function latestEnd({ figures }: WholeFiling): number {
  const counts = new Map<number, number>()
  for (const { context } of figures)
    if (context.dimensions.length === 0) counts.set(context.end, (counts.get(context.end) ?? 0) + 1)
  const ends = [...counts].filter(([, count]) => count * 20 >= figures.length).map(([end]) => end)
  return Math.max(...(ends.length > 0 ? ends : counts.keys()))
}

function slotOf(concept: string, unit: string, value: string | null): Slot {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value ?? '') ?? []
  if (whole === undefined) return { concept, unit, digits: null, exponent: 0, isNegative: false }
  const all = (whole + fraction).replace(/^0+(?=\d)/, '')
  const digits = fraction === '' ? all.replace(/(?<=\d)0+$/, '') : all
  const exponent = fraction === '' ? all.length - digits.length : -fraction.length
  const isExact = digits.length <= maxDigits
  return { concept, unit, digits: isExact ? Number(digits) : null, exponent, isNegative: sign === '-' }
}

/** Leaves room for a company that is ten times as large. */
const maxDigits = 13

/** The statements in a company's own words. */
export const statementsIn = (
  statements: readonly Statement[],
  words: (text: string) => string,
): readonly Statement[] =>
  statements.map(({ title, lines, ...statement }) => ({
    ...statement,
    title: title === null ? null : words(title),
    lines: lines.map(({ concept, label, ...line }) => ({
      ...line,
      concept: words(concept),
      label: label === null ? null : words(label),
    })),
  }))
