import { Type } from '@sinclair/typebox'
import { marketZone } from '../../markets/asOf.ts'
import type { Markets } from '../../markets/markets.ts'
import { type BulkManifest, reportedFolder } from '../bulk/release.ts'

const file = Type.Object({ path: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$' }) })

/** What the views need of the manifest of a release. A newer server may add fields. */
export const ViewedManifest = Type.Object({
  data_version: Type.Integer({ minimum: 0 }),
  as_of: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
  files: Type.Array(file),
  reported: Type.Optional(Type.Array(Type.Object({ name: Type.String(), files: Type.Array(file) }))),
  licence: Type.Array(Type.Object({ market: Type.String(), name: Type.String(), url: Type.String() })),
  attribution: Type.Array(Type.Object({ market: Type.String(), text: Type.String() })),
})
interface ViewedFile {
  readonly path: string
}
export interface ViewedManifest
  extends Pick<BulkManifest, 'data_version' | 'as_of' | 'licence' | 'attribution'> {
  readonly files: readonly ViewedFile[]
  readonly reported?: readonly { readonly name: string; readonly files: readonly ViewedFile[] }[]
}

/** Where DuckDB reads the files of a release. */
export type ReleasePlace =
  /** A folder on the machine on which DuckDB runs. */
  | { readonly kind: 'folder'; readonly path: string }
  /** The address of the release on a server. `key` is written into the file unless it is null. */
  | { readonly kind: 'address'; readonly url: string; readonly key: string | null }

/**
 * A SQL file of DuckDB views and macros over a release. They follow the rule of joins, so they show what the API shows
 * for the same day and data version.
 */
export async function duckdbViews(
  manifest: ViewedManifest,
  place: ReleasePlace,
  markets: Pick<Markets, 'get' | 'codes' | 'metrics'>,
): Promise<string> {
  const { data_version, as_of, files, reported = [], licence, attribution } = manifest
  const folder = place.kind === 'folder' ? `${literal(place.path)}/` : `${place.url}/`
  const below = place.kind === 'folder' ? `${folder}${reportedFolder}/` : folder
  const reportedFiles = (name: string) =>
    (reported.find(table => table.name === name)?.files ?? []).map(({ path }) => below + path)
  const textOf = (market: string) => attribution.find(one => one.market === market)?.text ?? ''
  const values: Readonly<Record<string, string>> = {
    dataVersion: String(data_version),
    asOf: quoted(as_of),
    licences: tuples(licence.map(({ market, name, url }) => [market, name, url, textOf(market)])),
    files: list(files.map(({ path }) => folder + path)),
    metrics: tuples(
      [...markets.metrics.values()].map(({ name, kind, unit, description }) => [
        name,
        kind,
        unit,
        description,
      ]),
    ),
    metricNames: list([...markets.metrics.keys()]),
    zones: markets.codes
      .map(code => `when ${quoted(code)} then ${quoted(marketZone(markets, code).name)}`)
      .join(' '),
    reportedFigures: list(reportedFiles('figures')),
    reportedLines:
      reportedFiles('lines').length > 0
        ? `read_parquet(${list(reportedFiles('lines'))}, hive_partitioning = false)`
        : noLines,
  }
  const fill = (template: string) => template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name])
  const hasReported = reportedFiles('figures').length > 0
  return [
    header(manifest, place),
    fill(await template('views.sql')),
    hasReported ? fill(await template('reportedViews.sql')) : '',
  ].join('\n')
}

/** A release whose filings have no statements has no files of lines. */
const noLines = '(select null::integer as entity, null::text as accession, null::date as seen_on where false)'

const template = (name: string): Promise<string> => Bun.file(new URL(name, import.meta.url)).text()

function header({ data_version, as_of }: ViewedManifest, place: ReleasePlace): string {
  const what = `-- asfiled, data version ${data_version}, figures filed up to ${as_of}. Made by asfiled duckdb-views; for DuckDB 1.5 or later.
-- Try: from asfiled.as_of('${as_of}', metric := 'revenue') limit 10;
`
  if (place.kind === 'folder') return what
  const secret = (key: string) =>
    `create or replace secret asfiled (type http, scope ${quoted(place.url)}, bearer_token ${key});`
  if (place.key !== null)
    return `${what}load httpfs;\n-- This file contains a key. Keep it secret.\n${secret(quoted(place.key))}\n`
  return `${what}-- Before you read this file, load httpfs and give DuckDB your key, which it then sends to this address only:
--   install httpfs; load httpfs;
--   ${secret("'asf_live_...'")}
-- In the DuckDB command line, getenv('ASFILED_KEY') may replace the key.
`
}

/** A path that DuckDB takes as it is: it would search for others that fit * and ?, and read their files as well. */
const literal = (path: string) => path.replace(/[*?[]/g, '[$&]')
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const list = (texts: readonly string[]) => `[${texts.map(quoted).join(', ')}]`
const tuples = (rows: readonly (readonly string[])[]) =>
  rows.map(row => `\n  (${row.map(quoted).join(', ')})`).join(',')
