import type { ReportedFigure, Statement, WholeFiling } from '../wholeFilings/wholeFiling.ts'
import { type StandardStatement, standardStatements } from './definition.ts'
import type { StatedSum } from './presentedRows.ts'
import { belgianRubric } from './taxonomies/belgium.ts'
import { schemaRole, taxonomies, taxonomyOf } from './taxonomies/taxonomies.ts'
import type { SchemaStatement, Taxonomy } from './taxonomies/taxonomy.ts'

/** What a filing states, as far as schemas complete it. */
export interface SchemaFiling extends Pick<WholeFiling, 'statements' | 'sums'> {
  readonly concepts: readonly string[]
  /** The figures of some concepts; of all for null. */
  readonly figuresOf: (concepts: ReadonlySet<string> | null) => readonly ReportedFigure[]
}

const kindOf = { income: 'IS', balance: 'BS', cash_flow: 'CF' } as const satisfies Record<
  StandardStatement,
  string
>

/** Markets some of whose filings state figures without saying in which statement and order they are presented. */
const withoutStatements: ReadonlySet<string> = new Set(['JP', 'NZ', 'DK', 'BE'])

/** Whether a register's schema may present the figures of filings that have no statements. */
export const presentsFigures = (market: string): boolean => withoutStatements.has(market)

/**
 * A filing with the statements and sums that its register's schema defines, where the filing states none itself. Filings
 * of other markets are returned as they are.
 */
export function presentBySchema<Filing extends SchemaFiling>(market: string, filing: Filing): Filing {
  const taxonomy = taxonomies[market]
  if (taxonomy === undefined) return filing
  const presenting =
    presentsFigures(market) && filing.statements.every(({ kind }) => kind === null)
      ? presented(market, taxonomy, filing)
      : filing
  if (presenting.sums.length > 0) return presenting
  const extent = taxonomy.extentOf(new Set(filing.concepts))
  return extent === null ? presenting : withSums(presenting, extent)
}

function presented<Filing extends SchemaFiling>(market: string, taxonomy: Taxonomy, filing: Filing): Filing {
  const coded = market === 'BE' ? withRubrics(filing) : filing
  const stated = new Set(coded.concepts)
  const statements = standardStatements.flatMap((name): Statement[] => {
    const tags = [...taxonomy.statements[name].meanings.keys()].filter(tag => stated.has(tag))
    const figures = coded.figuresOf(new Set(tags))
    const basis = basisOf(figures)
    if (basis === null) return []
    const unclear = contradictedTags(figures, basis)
    // Two balance sheets of one day: of a group and of its parent company, which the report does not tell apart.
    if (unclear.has('fsa:Assets') || unclear.has('ifrs-full:Assets')) return []
    const lines = tags
      .filter(tag => !unclear.has(tag))
      .flatMap(tag => (name === 'cash_flow' && isBalanceOfCash(taxonomy, tag) ? [tag, tag] : [tag]))
    if (lines.length === 0) return []
    return [
      {
        role: schemaRole(market, name),
        title: null,
        kind: kindOf[name],
        parenthetical: false,
        ...(basis.length === 0 ? {} : { dimensions: basis }),
        lines: lines.map((concept, order) => ({
          order,
          concept,
          depth: null,
          label: null,
          labelRole: null,
          negated: false,
        })),
      },
    ]
  })
  return { ...coded, statements }
}

/** The balance of cash is presented twice: at the beginning and at the end. */
const isBalanceOfCash = ({ statements }: Taxonomy, tag: string) =>
  statements.cash_flow.meanings.get(tag)?.some(({ line }) => line === 'cash_at_end') === true

const groups = /(^|:)ConsolidatedMember$/
const parents = /(^|:)(NonConsolidatedMember|SoloMember|SeparateMember)$/

type Basis = ReportedFigure['context']['dimensions']

/**
 * The accounts that are presented: those of the group, else those that the report does not call either, else those of the
 * company alone. Null without figures.
 */
function basisOf(figures: readonly ReportedFigure[]): Basis | null {
  const lists = figures.map(({ context }) => context.dimensions)
  const ofOne = (members: RegExp) =>
    lists.find(list => list.length === 1 && members.test(list[0].member)) ?? null
  return ofOne(groups) ?? (lists.some(list => list.length === 0) ? [] : ofOne(parents))
}

const isOfBasis = ({ context }: ReportedFigure, basis: Basis) =>
  context.dimensions.length === basis.length &&
  context.dimensions.every(({ axis, member }, at) => axis === basis[at].axis && member === basis[at].member)

/** Tags for which the filing states two values of one period. */
function contradictedTags(figures: readonly ReportedFigure[], basis: Basis): ReadonlySet<string> {
  const values = new Map<string, string | null>()
  const unclear = new Set<string>()
  for (const figure of figures) {
    if (!isOfBasis(figure, basis)) continue
    const { concept, context, unit, value } = figure
    const key = `${concept} ${context.start} ${context.end} ${unit}`
    if (values.has(key) && values.get(key) !== value) unclear.add(concept)
    values.set(key, value)
  }
  return unclear
}

/** Belgian accounts under the numbers of their rubrics, whatever taxonomy states them. */
function withRubrics<Filing extends SchemaFiling>(filing: Filing): Filing {
  const figures = filing.figuresOf(null).flatMap((figure): ReportedFigure[] => {
    const concept = belgianRubric(figure.concept, figure.context.dimensions)
    return concept === null ? [] : [{ ...figure, concept, context: { ...figure.context, dimensions: [] } }]
  })
  const byConcept = Map.groupBy(figures, ({ concept }) => concept)
  return {
    ...filing,
    concepts: [...byConcept.keys()],
    figuresOf: (concepts: ReadonlySet<string> | null) =>
      concepts === null ? figures : [...concepts].flatMap(each => byConcept.get(each) ?? []),
  }
}

function withSums<Filing extends SchemaFiling>(filing: Filing, schema: 'complete' | 'partial'): Filing {
  const stated = new Set(filing.concepts.map(colonForm))
  const sums = filing.statements.flatMap((statement): StatedSum[] => {
    const name = standardStatements.find(
      each => kindOf[each] === (statement.kind === 'CI' ? 'IS' : statement.kind),
    )
    const taxonomy = name === undefined ? null : taxonomyOf(statement)
    if (name === undefined || taxonomy === null) return []
    return sumsIn(taxonomy.statements[name], stated).map(sum => ({
      ...sum,
      role: statement.role,
      schema,
    }))
  })
  return { ...filing, sums }
}

const colonForm = (concept: string) => concept.replace(/^(ifrs-full|dart)_/, '$1:')

/** The sums of a schema among the tags that a filing states. An item without a figure passes its own items on. */
function sumsIn({ sums }: SchemaStatement, stated: ReadonlySet<string>) {
  const itemsOf = (items: StatedSum['items'], depth: number): StatedSum['items'] =>
    items.flatMap(item => {
      if (stated.has(item.concept)) return [item]
      const own = sums.find(({ total }) => total === item.concept)
      if (own === undefined || depth === maxHiddenTotals) return []
      return itemsOf(own.items, depth + 1).map(({ concept, weight }) => ({
        concept,
        weight: weight * item.weight,
      }))
    })
  return sums.flatMap(({ total, items }) => {
    const found = stated.has(total) ? itemsOf(items, 0) : []
    return found.length === 0 ? [] : [{ total, items: found }]
  })
}

const maxHiddenTotals = 3

/** The same for a filing whose figures are all in memory. */
export function wholeBySchema(market: string, whole: WholeFiling): WholeFiling {
  if (taxonomies[market] === undefined) return whole
  const byConcept = Map.groupBy(whole.figures, ({ concept }) => concept)
  const {
    concepts: _,
    figuresOf,
    ...filing
  } = presentBySchema(market, {
    ...whole,
    concepts: [...byConcept.keys()],
    figuresOf: (concepts: ReadonlySet<string> | null) =>
      concepts === null ? whole.figures : [...concepts].flatMap(each => byConcept.get(each) ?? []),
  })
  return { ...filing, figures: figuresOf(null) }
}
