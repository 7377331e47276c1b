import type { BulkColumn } from './schema.ts'

const column = (
  name: string,
  type: BulkColumn['type'],
  description: string,
  nullable = false,
): BulkColumn => ({ name, type, nullable, description })

/** What a row of either table says about its filing. */
const filingColumns = [
  column('ticker', 'text', 'The preferred ID of the company. It may change; entity does not.'),
  column(
    'entity',
    'integer',
    'The number of the company in this service. A report that several companies filed has rows of each: these are the figures and lines of this company.',
  ),
  column('accession', 'text', 'The number of the filing at its register.'),
  column('form', 'text', 'Kind of the filing, as the register names it.'),
  column('filed', 'day', 'The day on which the filing became public.'),
  column(
    'accepted_at',
    'text',
    'When the register accepted the filing, an instant in UTC; null if no imported document states it.',
    true,
  ),
  column(
    'seen_on',
    'day',
    'Only for registers that edit what they published: the day on which the register was seen to state this. The first content of a filing counts from `filed`, and each later one from this day on in place of the earlier ones.',
    true,
  ),
  column(
    'source',
    'text',
    'What the filing was read from: documents (its own), dataSet (statements and figures of a data set) or figures (a list without statements).',
  ),
] as const

const dataVersion = column(
  'data_version',
  'integer',
  'The data version in which the content of the filing came; 0: before versions were recorded.',
)

const taxonomy = column(
  'taxonomy',
  'text',
  'The version of the taxonomy that defines the tag, as the source names it: `us-gaap/2009`, or a namespace. Null if the source does not state it.',
  true,
)

/** The columns of a reported figure: every figure of a filing, as often as the filing states it. */
export const figureColumns = [
  ...filingColumns,
  column('tag', 'text', 'The tag under which the filing states it; it may be of the company itself.'),
  taxonomy,
  column(
    'period_start',
    'day',
    'First day of the period; null for a balance, and if `quarters` says how long it is.',
    true,
  ),
  column('period_end', 'day', 'Last day of the period.'),
  column(
    'quarters',
    'integer',
    'The length in quarters that a data set states; 0 for a balance. Null if the days are exact.',
    true,
  ),
  column(
    'dimensions',
    'text',
    'What part of the company it is of: a JSON list of `axis=member`, sorted by axis. Null for the whole company.',
    true,
  ),
  column('unit', 'text', 'Its unit, as the filing names it.'),
  column(
    'value',
    'text',
    'The figure, exactly, as a decimal number. Null if the filing says that there is none (nil).',
    true,
  ),
  column('number', 'number', 'The figure as the nearest double; null with `value`.', true),
  column(
    'decimals',
    'text',
    'The stated accuracy: -6 for millions, INF for exact. Null if not stated.',
    true,
  ),
  dataVersion,
] as const

/** The columns of a presented line: a line of a statement, in the words of the company. */
export const lineColumns = [
  ...filingColumns,
  column('position', 'integer', 'The position of the statement among those of the filing, from 0.'),
  column('role', 'text', 'The role of the presentation; for a data set, the number of the report.'),
  column('title', 'text', 'The title of the statement.', true),
  column(
    'statement',
    'text',
    'BS, IS, CF, EQ, CI, SI (schedule of investments), CP (cover page) or UN, as the source classifies it.',
    true,
  ),
  column(
    'parenthetical',
    'flag',
    'Whether the statement states only what stands in parentheses on another one.',
  ),
  column('order', 'integer', 'Ascending in a statement; there may be gaps.'),
  column(
    'depth',
    'integer',
    '0 for the root of the presentation; null if the source does not state it.',
    true,
  ),
  column('label', 'text', 'The words of the company.', true),
  column('label_role', 'text', 'The role of the label; null for the standard label.', true),
  column('tag', 'text', 'The tag of the line.'),
  taxonomy,
  column(
    'negated',
    'flag',
    'Whether the line shows its figures with the opposite sign. It never changes a figure.',
  ),
  dataVersion,
] as const

/**
 * Taxonomies that many companies use, each in files of its own. Everything else is in the files of `other`: a
 * company's own tags, and rare taxonomies. The list is closed, so that no filing can add files to a release.
 */
const partitions = new Set([
  ...[
    'us-gaap',
    'srt',
    'dei',
    'ecd',
    'cyd',
    'ifrs-full',
    'dart',
    'fsa',
    'gsd',
    'cmn',
    'pfs',
    'met',
    'liasse',
  ],
  'jppfs_cor',
  'jpcrp_cor',
  'jpdei_cor',
  'jpigp_cor',
])

/** The files in which the rows of a tag are. */
export function partitionOf(tag: string): string {
  const prefix = tag.slice(0, Math.max(0, tag.indexOf(':')))
  return partitions.has(prefix) ? prefix.replace('_', '-') : 'other'
}
