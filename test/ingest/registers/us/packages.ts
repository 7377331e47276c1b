import { openZip, readEntry } from '../../../../src/ingest/reading/archives.ts'
import { DataSetFilings } from '../../../../src/ingest/registers/us/wholeDataSets.ts'
import type { WholeFiling } from '../../../../src/wholeFilings/wholeFiling.ts'
import { sharedPath } from '../../../shared.ts'

export interface PackageFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The real packages of filings, by their file names. */
export const packageNames = [
  '0000320193-25-000057-xbrl.zip',
  'msft-10k_2015.zip',
  'nflx-10k_2010.zip',
  'nflx-10k_2024.zip',
]

/** Whether any of these files of `../shared/registers/us` is not on this machine. The message of `sharedPath` says which. */
export const areMissing = (...paths: readonly string[]): boolean =>
  paths.map(path => sharedPath(`registers/us/${path}`)).includes(null)

/** The documents of a zip of `../shared/registers/us`, or null if it is not on this machine. */
export async function readZipFiles(path: string): Promise<PackageFile[] | null> {
  const found = sharedPath(`registers/us/${path}`)
  if (found === null) return null
  const zip = await openZip(found)
  const files: PackageFile[] = []
  for await (const entry of zip.eachEntry())
    files.push({ name: entry.fileName, bytes: await readEntry(zip, entry) })
  zip.close()
  return files
}

/** The lines of a part of a data set as records, read without the code under test. */
export function recordsOf(files: readonly PackageFile[], name: string): Record<string, string>[] {
  const bytes = files.find(file => file.name === name)?.bytes
  const [header, ...lines] = new TextDecoder()
    .decode(bytes)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
  const columns = header.split('\t')
  return lines.map(line => {
    const fields = line.split('\t')
    return Object.fromEntries(columns.map((column, at) => [column, fields[at]]))
  })
}

const linesOf = (files: readonly PackageFile[], name: string) =>
  new TextDecoder()
    .decode(files.find(file => file.name === name)?.bytes)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)

/** The filings of a data set. */
export function filingsOf(
  files: readonly PackageFile[],
  accepts?: (accession: string) => boolean,
): WholeFiling[] {
  const set = new DataSetFilings(accepts)
  for (const line of linesOf(files, 'sub.txt')) set.readSubmission(line)
  for (const line of linesOf(files, 'num.txt')) set.readFigure(line)
  const hasLines = files.some(({ name }) => name === 'pre.txt')
  for (const line of hasLines ? linesOf(files, 'pre.txt') : []) set.readLine(line)
  return [...set.take()]
}
