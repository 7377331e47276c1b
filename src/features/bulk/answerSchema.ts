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
    ]),
    nullable: Type.Boolean({ description: 'Whether a row may be without it.' }),
    description: text('What it says.'),
  },
  { ...strict, $id: 'BulkColumn' },
)

/** GET /api/v1/bulk/{version}/manifest.json */
export const BulkManifestSchema = Type.Object(
  {
    object: Type.Literal('bulk_manifest'),
    ...releaseFields,
    files: Type.Array(BulkFileSchema),
    schema: Type.Array(BulkColumnSchema, { description: 'The columns of every file.' }),
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
