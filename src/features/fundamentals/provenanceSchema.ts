import { Type } from '@sinclair/typebox'
import { checkStates } from '../../markets/checkStates.ts'

const provenance = (description: string, example: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description, examples: [example] }))

/** Fields that say where a row's figure comes from, present only if `fields` names them. */
export const provenanceFields = {
  accession: provenance(
    "The register's number of the filing; outside the United States the market and a colon precede it.",
    '0001193125-10-012091',
  ),
  form: provenance('Kind of the filing, as the register names it.', '10-K/A'),
  tag: provenance(
    'The name under which the filing states the figure; null if it is derived.',
    'us-gaap:Revenues',
  ),
  start: Type.Optional(
    Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'First day of the period; null for a balance.',
      examples: ['2008-09-28'],
    }),
  ),
  accepted_at: provenance(
    'When the register accepted the filing, an instant in UTC; null if no imported document states it unambiguously. The filing then counts from the end of its day.',
    '2010-01-25T21:27:00Z',
  ),
  inputs: Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'Accessions of the filings that state the figures from which the row is derived; null if it is stated. In CSV and Parquet one text, with blanks between them.',
    }),
  ),
  url: provenance(
    'Address of the filing at the register; null where its number leads to none.',
    'https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm',
  ),
  check: Type.Optional(
    Type.Union(
      checkStates.map(state => Type.Literal(state)),
      {
        description:
          'What the identities of the filing say about the figure: proved, consistent, unchecked or contradicted, as with the parameter checks. GET /api/v1/statements?view=standard has the identities.',
        examples: ['proved'],
      },
    ),
  ),
  statement: provenance(
    'The statement on which the filing itself presents the figure: income, balance, cash_flow, comprehensive or equity. If several do, as with net income, the one that the metric belongs to. null if the figure is derived, if the filing is not on record with its statements, or if the figure is on none of these, such as a count on the cover page.',
    'income',
  ),
  line: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description:
        'The number of the line on that statement, as GET /api/v1/statements?view=as_filed with the accession shows it; null if statement is.',
      examples: [1],
    }),
  ),
  label: provenance(
    "The company's own words for the line in this filing; null if statement is, and if the source has no labels.",
    'Net sales',
  ),
}
