import { type Static, Type } from '@sinclair/typebox'

const strict = { additionalProperties: false } as const

/** The most columns of a caller's own in one panel. */
export const maxExtraColumns = 20
const pattern = '^[A-Za-z_][A-Za-z0-9_]{0,63}$'
export const extraColumnName = new RegExp(pattern)

const ColumnName = Type.String({
  pattern,
  maxLength: 64,
  allowed: 'the name of a column of panel: letters, digits and _, at most 64',
  examples: ['beta'],
})

const columnList = (minItems: number, description: string) =>
  Type.Array(ColumnName, {
    minItems,
    maxItems: 10,
    uniqueItems: true,
    description,
    examples: [['beta', 'size']],
  })

/** What is taken out of the scores of a date before they are ranked. */
export const Neutralise = Type.Object(
  {
    demean: Type.Optional(
      Type.Array(Type.Union([Type.Literal('market'), Type.Literal('group')]), {
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
        description:
          'Subtracts the mean score of the names of the date with the same market, the same group, or both. group is the column group of the rows, or that of score.group.',
      }),
    ),
    columns: Type.Optional(
      columnList(
        1,
        'Takes the residuals of a regression of the scores of the date on these columns of panel and a constant or, with demean, a constant for each market and group. A name without a value in one of them has no score on that date.',
      ),
    ),
  },
  {
    ...strict,
    minProperties: 1,
    $id: 'Neutralise',
    description:
      'What is taken out of the scores of each date before they are ranked. Needs demean or columns.',
  },
)
export type Neutralise = Static<typeof Neutralise>

export const combinations = ['rank_average', 'ic_weighted'] as const
export type Combination = (typeof combinations)[number]

/** The columns that rank the names instead of `score`. */
export const RankBy = Type.Object(
  {
    columns: columnList(1, 'Columns of panel with scores; score is one of them if it is named.'),
    combine: Type.Optional(
      Type.Union(
        combinations.map(name => Type.Literal(name)),
        {
          description:
            'With several columns. rank_average: the mean rank. ic_weighted: ranks weighted by the mean rank IC of each column in periods whose returns ended before the date.',
        },
      ),
    ),
  },
  { ...strict, $id: 'RankBy', description: 'Columns of panel that rank the names instead of `score`.' },
)
export type RankBy = Static<typeof RankBy>

/** The name of a score in the labels of its trials. */
export const rankingName = ({ columns: [first], combine }: RankBy): string => combine ?? first

export const Scores = columnList(
  2,
  'With panel: columns with scores, such as value and quality. Each ranks alone, then both combinations of config.rankBy do: all of them are trials of one sweep, and the result is about the best.',
)
