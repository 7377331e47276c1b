/** What the figures of a metric allow. */
export interface MetricRule {
  readonly kind: 'flow' | 'instant'
  /** False for share counts and per-share figures: the difference of two periods means nothing. */
  readonly additive: boolean
}

/** A register's table from tags to metrics, as far as deriving facts needs it. */
export interface MetricRules {
  rule(metric: string): MetricRule
  /** Order of preference of a tag for a metric: lower is better. */
  rank(metric: string, tag: string): number
  /** Tags of one group mean the same. A figure of a later group is used only if a better one is missing. */
  group(metric: string, tag: string): number
  /** Forms of the reports whose years are the entity's fiscal years. */
  readonly annualForm: RegExp
  /** Forms of the reports on part of a fiscal year. */
  readonly quarterlyForm: RegExp
  /** Forms that declare a transition period, the time between two fiscal years with different ends. */
  readonly transitionForm?: RegExp
  /** The last balance of an annual report closes a fiscal year, even if no flow of a year ends with it. */
  readonly balanceEndsYear?: boolean
  /** Tags of equity or liabilities that leave out items which have no metric: minority interests, temporary equity,
   * provisions without a total. */
  readonly partialTags?: RegExp
  /** Tags that some companies use for what the next group's tags mean and others for more. Their figures are comparable with that
   * group's, except where the filing itself states both with different values. */
  readonly broadTags?: RegExp
  /** The count on the cover of a report, which is of a day after the report's own period: its metric, and the tags under which
   * covers state it. */
  readonly coverCount?: { readonly metric: string; readonly tags: RegExp }
  /** Which accounts a tag belongs to, the better ones first (0 the group's, 1 the company's alone). Only the best accounts of
   * a filing are served, and no figure is derived from two. Omitted if all tags of a register are of one kind. */
  readonly basis?: (tag: string) => number
}
