/** The statements that have standard lines. */
export const standardStatements = ['income', 'balance', 'cash_flow'] as const
export type StandardStatement = (typeof standardStatements)[number]

/** Companies whose statements have different lines. */
export const companyKinds = ['industrial', 'bank', 'insurer', 'reit', 'utility'] as const
export type CompanyKind = (typeof companyKinds)[number]

/**
 * Where a line stands in its statement. `assets` and `liabilities` are the sides of a balance sheet that does not
 * separate current items. `pretax` is everything above income before taxes, on either side of operating income, and
 * `attributed` everything below net income, which tells whose it is.
 */
export type Section =
  | 'assets'
  | 'current_assets'
  | 'noncurrent_assets'
  | 'liabilities'
  | 'current_liabilities'
  | 'noncurrent_liabilities'
  | 'equity'
  | 'pretax'
  | 'after_tax'
  | 'attributed'
  | 'per_share'
  | 'operating'
  | 'investing'
  | 'financing'
  | 'cash'

/**
 * amount: as stated. cost: positive lowers profit or equity. outflow: positive is money paid. signed: positive is a
 * gain, or money received.
 */
export type Sign = 'amount' | 'cost' | 'outflow' | 'signed'

/** A line that statements of many companies have, under one name. */
export interface StandardLine {
  readonly name: string
  readonly label: string
  readonly statement: StandardStatement
  /** The kinds of company that have the line. */
  readonly kinds: readonly CompanyKind[]
  readonly period: 'instant' | 'duration'
  readonly unit: 'currency' | 'currency/share' | 'shares'
  readonly sign: Sign
  /** The total that contains the line; null for the outermost lines. */
  readonly parent: string | null
  /** A line of a statement belongs here only if it stands in one of these sections. */
  readonly sections: readonly Section[]
  /**
   * Names of tags without their prefix, in groups of the same meaning. A later group counts only if the statement has
   * no line of an earlier one.
   */
  readonly tags: readonly (readonly string[])[]
  /** Further names of tags with the meaning of the last group. */
  readonly alike: RegExp | null
  /** Labels, in small letters without punctuation, of lines whose tag says nothing about them. */
  readonly words: RegExp | null
  /** Labels of lines that are something else although their tag says otherwise; filers choose wrong tags now and then. */
  readonly unlike: RegExp | null
  /** Whether several lines of a statement are added, such as two issues of debt. */
  readonly adds: boolean
  /** Subjects of labels besides those of its own label, separated by spaces; `anything` for totals. */
  readonly also: string | null
}

interface Traits {
  readonly kinds?: readonly CompanyKind[]
  readonly period?: StandardLine['period']
  readonly unit?: StandardLine['unit']
  readonly sign?: Sign
  readonly parent?: string
  readonly sections?: readonly Section[]
  /** The first group of tags, separated by spaces. */
  readonly tags?: string
  /** Further groups. */
  readonly orElse?: readonly string[]
  readonly alike?: RegExp
  readonly words?: RegExp
  readonly unlike?: RegExp
  readonly adds?: boolean
  readonly also?: string
}

/** A pattern for several kinds of items that are one line. */
export const anyOf = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'))

const namesIn = (text: string | undefined) => (text ?? '').split(/\s+/).filter(name => name !== '')

/** Makes the definitions of a statement; what a definition does not say is usual there. */
export function linesOf(
  statement: StandardStatement,
  usual: { readonly sign: Sign; readonly sections: readonly Section[] },
) {
  return (name: string, label: string, traits: Traits = {}): StandardLine => ({
    name,
    label,
    statement,
    kinds: traits.kinds ?? companyKinds,
    period: traits.period ?? (statement === 'balance' ? 'instant' : 'duration'),
    unit: traits.unit ?? 'currency',
    sign: traits.sign ?? usual.sign,
    parent: traits.parent ?? null,
    sections: traits.sections ?? usual.sections,
    tags: [traits.tags, ...(traits.orElse ?? [])].map(namesIn),
    alike: traits.alike ?? null,
    words: traits.words ?? null,
    unlike: traits.unlike ?? null,
    adds: traits.adds ?? false,
    also: traits.also ?? null,
  })
}
