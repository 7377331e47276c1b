import { Type } from '@sinclair/typebox'

const strict = { additionalProperties: false } as const
const whole = (description: string) => Type.Integer({ minimum: 0, description })
const text = (description: string) => Type.String({ description })
const day = (description: string) => Type.String({ format: 'date', description })

const releaseFields = {
  data_version: whole('The data version of all its rows.'),
  as_of: day('Figures filed after this day are left out, and an `until` after it is null.'),
  rows: whole('Rows of all files.'),
  bytes: whole('Bytes of all files.'),
}

/** GET /api/v1/bulk */
export const BulkList = Type.Object(
  {
    object: Type.Literal('bulk_list'),
    data_version: whole('The present data version of the service.'),
    count: whole('Number of releases.'),
    releases: Type.Array(
      Type.Object(
        {
          ...releaseFields,
          files: whole('Number of files.'),
          manifest: text('The path of its manifest.'),
        },
        { ...strict, $id: 'BulkRelease' },
      ),
    ),
  },
  { ...strict, $id: 'BulkList' },
)

const BulkFileSchema = Type.Object(
  {
    path: text('The name of the file, next to the manifest.'),
    market: text('The market of its rows.'),
    year: whole('The year of `filed` of its rows.'),
    rows: whole('Number of rows.'),
    bytes: whole('Size.'),
    sha256: text('Digest of the file.'),
  },
  { ...strict, $id: 'BulkFile' },
)

const BulkColumnSchema = Type.Object(
  {
    name: text('Name of the column.'),
    type: Type.Union([
      Type.Literal('text'),
      Type.Literal('integer'),
      Type.Literal('day'),
      Type.Literal('number'),
      Type.Literal('flag'),
    ]),
    nullable: Type.Boolean({ description: 'Whether a row may be without it.' }),
    description: text('What it says.'),
  },
  { ...strict, $id: 'BulkColumn' },
)

const ReportedFileSchema = Type.Object(
  {
    ...BulkFileSchema.properties,
    taxonomy: text('The taxonomy of the tags of its rows; `other`: tags of companies, and rare taxonomies.'),
  },
  { ...strict, $id: 'BulkReportedFile' },
)

const ReportedTableSchema = Type.Object(
  {
    name: Type.Union([Type.Literal('figures'), Type.Literal('lines')], {
      description:
        'figures: every figure of every filing, as it states it. lines: the lines of the statements that present them.',
    }),
    rows: whole('Rows of its files.'),
    bytes: whole('Bytes of its files.'),
    files: Type.Array(ReportedFileSchema),
    schema: Type.Array(BulkColumnSchema, { description: 'The columns of each of its files.' }),
  },
  { ...strict, $id: 'BulkReportedTable' },
)

/** GET /api/v1/bulk/{version}/manifest.json */
export const BulkManifestSchema = Type.Object(
  {
    object: Type.Literal('bulk_manifest'),
    ...releaseFields,
    files: Type.Array(BulkFileSchema),
    schema: Type.Array(BulkColumnSchema, { description: 'The columns of each of `files`.' }),
    reported: Type.Optional(
      Type.Array(ReportedTableSchema, {
        description:
          'Whole filings, by taxonomy and year of `filed`, in files of their own: `files`, `rows` and `bytes` of the release leave them out. Missing in releases that an older version built.',
      }),
    ),
    licence: Type.Array(
      Type.Object(
        {
          market: text('Market.'),
          name: text('Terms of its register.'),
          url: text('Where they are published.'),
        },
        { ...strict, $id: 'BulkTerms' },
      ),
    ),
    attribution: Type.Array(
      Type.Object(
        { market: text('Market.'), text: text('The statutory attribution.') },
        { ...strict, $id: 'BulkAttribution' },
      ),
    ),
  },
  { ...strict, $id: 'BulkManifest' },
)
