import type { IsoDate } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { SqlClient } from '../../../postgres/client.ts'
import { readSampleExtent, type SampleExtent } from './sampleQueries.ts'

interface ExtentDeps {
  readonly sql: SqlClient
  readonly dataVersion: () => number
  readonly today: () => IsoDate
}

/** What was read last, by connection: the extent changes with the data and with the day alone. */
const extents = new WeakMap<
  SqlClient,
  { readonly key: string; readonly extent: Promise<SampleExtent | null> }
>()

function extentOf({ sql, dataVersion, today }: ExtentDeps): Promise<SampleExtent | null> {
  const key = `${dataVersion()} ${today()}`
  const known = extents.get(sql)
  if (known?.key === key) return known.extent
  const extent = readSampleExtent(sql, today())
  extents.set(sql, { key, extent })
  // A failure must not be remembered.
  extent.catch(() => extents.delete(sql))
  return extent
}

/**
 * Says on a server with the sample alone how far its figures reach; false on any other server.
 *
 * @param lastFiled of the company of the page: one that still files needs no notice
 */
export async function sampleNotice(
  deps: ExtentDeps,
  lastFiled: IsoDate | null = null,
): Promise<Markup | false> {
  const extent = await extentOf(deps)
  if (extent === null || (lastFiled !== null && lastFiled.slice(0, 7) > extent.month)) return false
  const { companies, ended, month } = extent
  const count = (value: number) => value.toLocaleString('en-US')
  return html`<p class="notice sample">This server has only the sample: for ${count(ended)} of its ${count(companies)} companies no filing after ${monthName(month)} is loaded, so their latest figures are of that time. Whoever runs the server can <a href="/docs/guides/importing-and-syncing">load all filings</a>.</p>`
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const monthName = (month: string) => monthFormat.format(new Date(`${month}-01T00:00:00Z`))
