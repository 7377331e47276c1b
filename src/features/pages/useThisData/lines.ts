import type { Rights } from '../../../rights/rights.ts'

type Value = string | number | readonly string[]

/** Parameters of a request. Those without a value are left out. */
export type Parameters = Readonly<Record<string, Value | undefined>>

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json | undefined }

/** A request of the API, as each kind of client makes it. */
export interface DataUse {
  /** The address of this server. */
  readonly baseUrl: string
  /** A route of the API, like `/api/v1/fundamentals`. */
  readonly path: string
  readonly query: Parameters
  /** The call of the Python client: `fundamentals("AAPL", fp="FY")`. */
  readonly python: {
    readonly method: string
    readonly args: readonly (string | readonly string[])[]
    readonly named: Readonly<Record<string, Json | undefined>>
  }
  /** The same rows as a tool of assistants gives them; null if no tool has them. */
  readonly tool: {
    readonly name: string
    readonly arguments: Readonly<Record<string, Json | undefined>>
  } | null
  /** The path of a CSV file of the same rows that anybody may open without a key; null if there is none. */
  readonly file: string | null
  /** The path of a short CSV file of one line, for a formula whose answer has at most 32,767 characters; absent if there is none. */
  readonly lineFile?: string
  /** demo: the demo key gets the same answer as the visitor. own: it takes a key with the visitor's licence. */
  readonly key: 'demo' | 'own'
}

/** The demo key sees of a market what visitors without a licence see. */
export const keyFor = ({ seesAllHistory }: Rights): DataUse['key'] => (seesAllHistory ? 'own' : 'demo')

/** The query string. Colons and commas stay legible. An apostrophe would end a string of a shell. */
export function queryString(query: Parameters): string {
  const encoded = (value: Value) =>
    encodeURIComponent(typeof value === 'object' ? value.join(',') : String(value))
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll("'", '%27')
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encoded(value)}`],
  )
  return fields.length === 0 ? '' : `?${fields.join('&')}`
}

const address = ({ baseUrl, path, query }: DataUse) => baseUrl + path + queryString(query)

export const curlLine = (use: DataUse): string =>
  `curl -s -H ${use.key === 'demo' ? "'Authorization: Bearer demo'" : '"Authorization: Bearer $ASFILED_KEY"'} '${address(use)}'`

export function pythonLines({ baseUrl, python: { method, args, named } }: DataUse): string {
  const shown = [
    ...args.map(arg => literal(arg)),
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${literal(value)}`],
    ),
  ]
  const [result, member] = method === 'get' ? ['answer', ''] : ['rows', '']
  return `from asfiled import Client

client = Client(base_url=${literal(baseUrl)})
${result} = client.${method}(${shown.join(', ')})${member}
print(${result})`
}

/** A JSON string is a string of Python, too. */
function literal(value: Json): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(literal).join(', ')}]`
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}: ${literal(member)}`],
  )
  return `{${members.join(', ')}}`
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value)

export function typescriptLines(use: DataUse): string {
  const key = use.key === 'demo' ? "env.ASFILED_KEY ?? 'demo'" : 'env.ASFILED_KEY'
  return `import { env } from 'node:process'

const answer = await fetch('${address(use)}', {
  headers: { Authorization: \`Bearer \${${key}}\` },
})
if (!answer.ok) throw new Error(await answer.text())
const { data } = await answer.json()
console.log(data)`
}

/** The formula for Google Sheets; null if only a key opens the rows, because a formula sends none. */
export const sheetsFormula = ({ baseUrl, file }: DataUse): string | null =>
  file === null ? null : `=IMPORTDATA("${baseUrl}${file}")`

/**
 * The formula for Excel of Microsoft 365 on Windows. It keeps the nine columns before the source, whose name may have a comma.
 * Null if only a key opens the line, because a formula sends none.
 */
export const excelFormula = ({ baseUrl, lineFile }: DataUse): string | null =>
  lineFile === undefined
    ? null
    : `=TAKE(TEXTSPLIT(WEBSERVICE("${baseUrl}${lineFile}"),",",CHAR(13)&CHAR(10),FALSE,0,""),,9)`

/** The query for Excel, as in the guide to spreadsheets. */
export function powerQuery({ baseUrl, path, query, key }: DataUse): string {
  const text = (value: string) => `"${value.replaceAll('"', '""')}"`
  const sent: Parameters = { ...query, format: 'csv' }
  const fields = Object.entries(sent).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name} = ${text(typeof value === 'object' ? value.join(',') : String(value))}`],
  )
  return `let
  Source = Csv.Document(
    Web.Contents(${text(baseUrl)}, [
      RelativePath = ${text(path.slice(1))},
      Query = [${fields.join(', ')}],
      Headers = [Authorization = "Bearer ${key === 'demo' ? 'demo' : 'asf_live_...'}"]
    ]),
    [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]
  )
in
  Table.PromoteHeaders(Source, [PromoteAllScalars = true])`
}

export const assistantCommand = ({ baseUrl, key }: DataUse): string =>
  `claude mcp add --transport http asfiled ${baseUrl}/mcp --header "Authorization: Bearer ${key === 'demo' ? 'demo' : '$ASFILED_KEY'}"`

/** The call of the tool as the protocol has it. */
export const toolCall = ({ tool }: DataUse): string | null =>
  tool === null ? null : JSON.stringify({ name: tool.name, arguments: tool.arguments })
