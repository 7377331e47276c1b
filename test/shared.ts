import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../../shared')

/** The path of a real file next to the checkout. null, with a message: it is not on this machine, and tests that need it are
 * skipped. */
export function sharedPath(path: string): string | null {
  const found = resolve(folder, path)
  if (existsSync(found)) return found
  console.warn(`skipped: ../shared/${path} is not on this machine`)
  return null
}

/** What `asfiled import us` reads of the real files. The folder also has taxonomies and single filings, which are read by nothing yet. */
export function unitedStatesPaths(): string[] | null {
  const paths = [
    'fsds/2009q3.zip',
    'fsds/2010q1.zip',
    'companyfacts',
    'submissions',
    'company_tickers.json',
  ].map(path => sharedPath(`registers/us/${path}`))
  return paths.includes(null) ? null : paths.filter(path => path !== null)
}
