import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeFigures, encodeFigures } from '../src/wholeFilings/figureBlock.ts'
import { columnarFiling, columnsOf } from '../src/wholeFilings/figureColumns.ts'
import { decodePresentation, encodePresentation } from '../src/wholeFilings/presentationBlock.ts'
import { Terms } from '../src/wholeFilings/terms.ts'
import type { ReportedFigure, WholeFiling } from '../src/wholeFilings/wholeFiling.ts'
import { filingsOf, readZipFiles } from '../test/ingest/registers/us/packages.ts'
import type { Figure } from './figure.ts'

/** 435 filings with 126,650 figures and 47,958 presented lines. */
const dataSet = 'fsds/2009q3.zip'

/** The largest filings have so many figures. */
const largestFiling = 40_000

/**
 * Encodes and decodes the filings of a data set on one core. Rates are per second of processor time, so that other
 * processes on a busy machine do not affect them, and the fastest run counts.
 */
export async function benchFilingBlocks({ short }: { short: boolean }): Promise<readonly Figure[]> {
  const files = await readZipFiles(dataSet)
  if (files === null) return []
  // Columns, as the importer's readers make them.
  const filings = filingsOf(files).map(filing => columnarFiling(columnsOf(filing), filing))
  const terms = new Terms()
  terms.append(terms.propose(filings.map(filing => [filing])))
  const blocks = filings.map(filing => {
    const figures = encodeFigures(filing, terms)
    return { figures, presentation: encodePresentation(filing, terms, figures.ownTexts) }
  })
  for (const [at, { figures, presentation }] of blocks.entries()) {
    proveParity(filings[at], decodeFigures(figures.bytes, terms).figures)
    const { statements } = decodePresentation(presentation, terms, figures.ownTexts)
    if (!Bun.deepEquals(statements, filings[at].statements)) throw new Error('the statements differ')
  }
  const count = filings.reduce((sum, { figures }) => sum + figures.length, 0)
  const runs = short ? 5 : 30
  const encoding = processorSeconds(runs, () => {
    for (const filing of filings) encodeFigures(filing, terms)
  })
  const encodingAll = processorSeconds(runs, () => {
    for (const filing of filings) encodePresentation(filing, terms, encodeFigures(filing, terms).ownTexts)
  })
  const decoding = processorSeconds(runs, () => {
    for (const { figures } of blocks) decodeFigures(figures.bytes, terms)
  })
  const figureBytes = blocks.reduce((sum, { figures }) => sum + figures.bytes.length, 0)
  const lines = filings.reduce(
    (sum, { statements }) => sum + statements.reduce((all, statement) => all + statement.lines.length, 0),
    0,
  )
  const lineBytes = blocks.reduce((sum, { presentation }) => sum + presentation.length, 0)
  return [
    rate('filing_blocks.encoded_per_core', count, encoding),
    rate('filing_blocks.encoded_with_statements_per_core', count, encodingAll),
    rate('filing_blocks.decoded_per_core', count, decoding),
    { name: 'filing_blocks.bytes_per_figure', value: figureBytes / count, unit: 'bytes/row' },
    { name: 'filing_blocks.bytes_per_line', value: lineBytes / lines, unit: 'bytes/row' },
    { name: 'filing_blocks.largest_memory', value: memoryOfLargest(filings, terms), unit: 'MB' },
  ]
}

/** The peak memory of a process that reads a block as large as the largest, the process itself included. */
function memoryOfLargest(filings: readonly WholeFiling[], terms: Terms): number {
  const figures = filings.flatMap(filing => filing.figures).slice(0, largestFiling)
  const [{ taxonomies, defaultMembers }] = filings
  const { bytes } = encodeFigures({ figures, taxonomies, defaultMembers }, terms)
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-block-'))
  try {
    writeFileSync(join(folder, 'block'), bytes)
    const texts = Array.from({ length: terms.count }, (_, number) => terms.text(number))
    writeFileSync(join(folder, 'terms.json'), JSON.stringify(texts))
    const child = Bun.spawnSync(['bun', join(import.meta.dir, 'filingBlocks/readBlock.ts'), folder])
    const { count, peakBytes } = JSON.parse(child.stdout.toString())
    if (count !== largestFiling) throw new Error(`${count} figures were decoded`)
    return peakBytes / 1e6
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function proveParity({ accession, figures }: WholeFiling, decoded: readonly ReportedFigure[]): void {
  const keys = (all: readonly ReportedFigure[]) => all.map(figure => JSON.stringify(figure)).sort()
  if (!Bun.deepEquals(keys(figures), keys(decoded))) throw new Error(`the figures of ${accession} differ`)
}

function processorSeconds(runs: number, work: () => void): readonly number[] {
  return Array.from({ length: runs }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  })
}

function rate(name: string, count: number, seconds: readonly number[]): Figure {
  const [fastest, slowest] = [Math.min(...seconds), Math.max(...seconds)]
  const spread = `${Math.round(count / slowest)} to ${Math.round(count / fastest)}`
  return { name, value: count / fastest, unit: 'facts/s', spread }
}
