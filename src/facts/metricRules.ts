/** What may be done with a metric's figures. */
export interface MetricRule {
  readonly kind: 'flow' | 'instant'
  /** False for share counts and per-share figures, where the difference of two periods means nothing. */
  readonly additive: boolean
}

/** The part of a register's mapping from tags to metrics that derivation needs. */
export interface MetricRules {
  rule(metric: string): MetricRule
  /** The preference of a tag for a metric: lower is better. */
  rank(metric: string, tag: string): number
  /** Tags of one group mean the same. A figure of a later group is used only if no better one exists. */
  group(metric: string, tag: string): number
  /** Forms of annual reports. Their years are the entity's fiscal years. */
  readonly annualForm: RegExp
  /** Forms of reports on part of a fiscal year. */
  readonly quarterlyForm: RegExp
  /** Forms that declare a transition period, the time between two fiscal years with different ends. */
  readonly transitionForm?: RegExp
  /**
   * True if the last balance sheet of an annual report closes a fiscal year even if no twelve-month flow ends on its day.
   */
  readonly balanceEndsYear?: boolean
  /**
   * Tags of equity or liabilities that exclude items without a metric: minority interests, temporary equity,
   * provisions without a total.
   */
  readonly partialTags?: RegExp
  /**
   * Tags that some companies use with the meaning of the next group and others with a wider meaning. Their figures
   * are comparable with that group's unless one filing states both with different values.
   */
  readonly broadTags?: RegExp
  /**
   * The share count on a report's cover, dated after the report's own period: its metric and the tags that
   * covers use.
   */
  readonly coverCount?: { readonly metric: string; readonly tags: RegExp }
  /**
   * The rank of the accounts that a tag belongs to, the best being 0 (0 for the group, 1 for the company alone).
   * Only a filing's best accounts are served, and no figure mixes two kinds. Omitted if all tags of a register
   * belong to the same kind.
   */
  readonly basis?: (tag: string) => number
}
