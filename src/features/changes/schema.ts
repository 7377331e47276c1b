import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, CommentsSchema, FormatSchema } from '../../formats/columns.ts'
import { bulkColumns, kinds } from '../bulk/schema.ts'
import { maxCursorLength } from './cursor.ts'

const strict = { additionalProperties: false } as const

export const changesLimit = { max: 50_000, default: 1_000 } as const

export const ChangesQuery = Type.Object(
  {
    since: Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'The data version of your copy: that of the bulk release that it was made from, or the `data_version` of the last answer.',
      examples: [1],
    }),
    since_day: Type.Optional(
      IsoDateSchema(
        'The `as_of` of that release or answer. Without it, figures that became due since that data version are repeated: harmless, but more rows.',
        '2026-07-01',
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: changesLimit.max,
        default: changesLimit.default,
        description: 'Rows of a page.',
        examples: [changesLimit.default],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxCursorLength,
        description: 'The `next` of the previous page, with the same `since`. It is signed.',
        examples: ['eyJyYW5nZSI6eyJzaW5jZSI6MX19'],
      }),
    ),
    filings: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the rows `filing` and `filing_removed` are in the feed, too, for a copy of whole filings. A copy of mapped figures needs none of them.',
        examples: [false],
      }),
    ),
    format: FormatSchema,
    comments: CommentsSchema,
  },
  strict,
)
export type ChangesQuery = Static<typeof ChangesQuery>

const changes = [
  'added',
  'ended',
  'removed',
  'renamed',
  'timed',
  'symbols',
  'filing',
  'filing_removed',
] as const

const typeOf = {
  text: Type.String,
  integer: Type.Integer,
  number: Type.Number,
  day: Type.String,
  flag: Type.Boolean,
}

/** Rows about a company's new ID or a filing's time have no figure, so every field of a figure is nullable. */
const rowFields = Object.fromEntries(
  bulkColumns.map(({ name, type, description }) => {
    const own = { description, ...(type === 'day' ? { format: 'date' } : {}) }
    const plain = typeOf[type](own)
    return [name, name === 'ticker' || name === 'entity' ? plain : Type.Union([plain, Type.Null()], own)]
  }),
)

export const Change = Type.Object(
  {
    version: Type.Integer({ description: 'The data version in which it changed.' }),
    change: Type.Union(
      changes.map(change => Type.Literal(change)),
      {
        description:
          'added: store the row. ended: replace the row that has the same key (its `until` or its state changed). removed: delete it. renamed: the company `entity` has the ID `ticker` from now on, in all its rows; no other field has a value. timed: the filing `accession` of the company has the time `accepted_at` from now on, or none if that is null, in all its rows; no figure changes, and only `filed` has a value, too. symbols: the symbols, predecessors or successors of the company changed, which GET /api/v1/companies/{id} shows; no figure changes, and no other field has a value. filing (with `filings=true`): the filing `accession` is there in full, and everything that it states was added or replaced; a report of several companies is one row under one of them, and the content of each may have changed; `data_version` is that of its latest content, and only `filed` and `accepted_at` have values, too. filing_removed: it is no longer there.',
      },
    ),
    ...rowFields,
  },
  { ...strict, $id: 'ChangeRow' },
)

const sheetKinds = { text: 'text', integer: 'whole', day: 'day', number: 'number', flag: 'flag' } as const

export type ChangeField = 'version' | 'change' | (typeof bulkColumns)[number]['name']

/** The columns in CSV and Parquet, in the order of the JSON row. */
export const changeSheet: readonly Column<ChangeField>[] = [
  { name: 'version', kind: 'whole' },
  { name: 'change', kind: 'text' },
  ...bulkColumns.map(({ name, type }) => ({ name, kind: sheetKinds[type] })),
]

export const kindOf = (tag: string | null) => (tag === null ? kinds[1] : kinds[0])

export const ChangeList = Type.Object(
  {
    object: Type.Literal('change_list'),
    since: Type.Integer({ description: 'As sent.' }),
    data_version: Type.Integer({
      description:
        'The data version to which all pages lead. After the last page your copy is of it: send it as since.',
    }),
    as_of: Type.String({
      format: 'date',
      description: 'The day to which all pages lead: send it as since_day with the next since.',
    }),
    attribution: Type.Array(Type.String(), {
      description: 'Statutory attribution of the markets in the feed.',
    }),
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The cursor of the next page; null: all is served.',
    }),
    data: Type.Array(Change, {
      description:
        'Sorted by version, company, metric, period end, filed, fiscal period and filing. Figures that became due without a new version come last.',
    }),
  },
  { ...strict, $id: 'ChangeList' },
)
