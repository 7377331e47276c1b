import type { ResultParts } from '../../backtest/report/resultParts.ts'
import type { BodyFormat } from '../../backtest/request.ts'

/** Code that reproduces a backtest of the page. */
export interface Snippets {
  readonly curl: string
  readonly python: string
}

/** @param format of the body that ran: the caller's own rows are not stored, so the code names their file */
export function snippetsFor(
  baseUrl: string,
  { request, isArchive }: ResultParts,
  format: BodyFormat,
): Snippets {
  const address = `${baseUrl}/api/v1/backtest`
  return isArchive ? archiveLines(address, request) : fileLines(address, request, format)
}

function archiveLines(address: string, request: string): Snippets {
  return {
    curl: `curl -s ${address} -H "Authorization: Bearer $ASFILED_KEY" -H 'Content-Type: application/json' -d ${quoted(request)}`,
    python: `import json, os, urllib.request

request = json.loads(${pythonText(request)})
result = json.load(urllib.request.urlopen(urllib.request.Request(
    "${address}", json.dumps(request).encode(),
    {"Authorization": "Bearer " + os.environ["ASFILED_KEY"], "Content-Type": "application/json"})))
print(result["metrics"]["sharpe"])`,
  }
}

function fileLines(address: string, request: string, format: BodyFormat): Snippets {
  const { panel: _, ...settings }: Record<string, unknown> = JSON.parse(request)
  const [file, type] =
    format === 'ndjson' ? ['rows.ndjson', 'application/x-ndjson'] : ['rows.csv', 'text/csv']
  const query = new URLSearchParams(
    Object.entries(settings).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(',') : JSON.stringify(value),
    ]),
  )
  // NDJSON has the settings on its first line.
  const first = JSON.stringify(settings)
  const curl =
    format === 'ndjson'
      ? `(echo ${quoted(first)}; cat ${file}) | curl -s ${address} -H "Authorization: Bearer $ASFILED_KEY" -H 'Content-Type: ${type}' --data-binary @-`
      : `curl -s ${quoted(`${address}?${query}`)} -H "Authorization: Bearer $ASFILED_KEY" -H 'Content-Type: ${type}' --data-binary @${file}`
  // Rows that take their returns from prices need none of their own.
  const columns =
    settings.prices === undefined
      ? `["date", "asset", "score", "forward_return"]`
      : `["date", "asset", "score"]`
  return {
    curl,
    python: `import json, os, urllib.request
import pandas as pd

rows = pd.read_csv("rows.csv", dtype={"date": str})  # or pd.read_parquet("rows.parquet")
columns = [*${columns}, *(["market"] if "market" in rows else [])]
request = json.loads(${pythonText(first)})
request["panel"] = {
    name: rows[name].astype(object).where(rows[name].notna(), None).tolist() for name in columns}
result = json.load(urllib.request.urlopen(urllib.request.Request(
    "${address}", json.dumps(request).encode(),
    {"Authorization": "Bearer " + os.environ["ASFILED_KEY"], "Content-Type": "application/json"})))
print(result["metrics"]["sharpe"])`,
  }
}

/** Quotes text as one shell word. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * A Python string literal. Raw, so that JSON escapes survive. If the text contains a quote, JSON's own
 * double-quoted literal is used, which means the same in Python.
 */
const pythonText = (json: string) => (json.includes("'") ? JSON.stringify(json) : `r'${json}'`)
