import { Failure } from '../errors.ts'
import { registers } from '../ingest/allRegisters.ts'
import type { SampleCompanies } from '../ingest/sample/makeSample.ts'
import type { Manifest } from '../markets/manifest.ts'
import { assertReadableFile } from './files.ts'

const maxIssuerNumbers = 5_000_000
const maxSampleCompanies = 1_000

/**
 * Reads issuer numbers from a file, one per line, and returns them in the register's spelling: people omit
 * leading zeros.
 */
export async function readIssuerNumbers(path: string, { issuer, name }: Manifest): Promise<string[]> {
  const pattern = new RegExp(issuer.pattern)
  const numbers = new Set<string>()
  for (const [index, line] of (await readLines(path)).entries()) {
    const text = line.trim().toUpperCase()
    if (text === '' || text.startsWith('#')) continue
    const number = pattern.exec(text)?.[1]
    if (number === undefined) {
      throw invalid(
        `${path}:${index + 1}: ${text.slice(0, 50)} is not a valid ${issuer.name} of ${name}. Write one like ${issuer.example}.`,
      )
    }
    numbers.add(number.padStart(issuer.digits ?? 0, '0'))
    if (numbers.size > maxIssuerNumbers)
      throw invalid(`${path} has more than ${maxIssuerNumbers} numbers. Split it.`)
  }
  if (numbers.size === 0) throw invalid(`${path} lists no company. Write one per line.`)
  return [...numbers]
}

/**
 * The companies of a sample, from a file with one per line: the market and the register's own number, like
 * `JP E02367`. `US *` stands for every company of the market that has figures.
 */
export async function readSampleCompanies(path: string): Promise<SampleCompanies> {
  const named = new Set<string>()
  const wholeMarkets = new Set<string>()
  for (const [index, line] of (await readLines(path)).entries()) {
    const text = line.replace(/#.*/, '').trim()
    if (text === '') continue
    const [market, number, ...more] = text.split(/\s+/)
    if (!registers.has(market) || number === undefined || more.length > 0) {
      throw invalid(
        `${path}:${index + 1}: ${text.slice(0, 50)} is not a market and a number of its register. Write a line like JP E02367, or JP * for all companies with figures.`,
      )
    }
    if (number === '*') wholeMarkets.add(market)
    else named.add(`${market} ${number}`)
    if (named.size > maxSampleCompanies)
      throw invalid(`${path} lists more than ${maxSampleCompanies} companies. Remove some.`)
  }
  if (named.size + wholeMarkets.size === 0) throw invalid(`${path} lists no company. Write one per line.`)
  return { named, wholeMarkets }
}

const maxSampleFilings = 200

/** Accessions from a file with one per line. */
export async function readAccessions(path: string): Promise<string[]> {
  const accessions = new Set<string>()
  for (const line of await readLines(path)) {
    const text = line.replace(/#.*/, '').trim()
    if (text !== '') accessions.add(text)
  }
  if (accessions.size === 0 || accessions.size > maxSampleFilings)
    throw invalid(`${path} must list between 1 and ${maxSampleFilings} filings, one accession per line.`)
  return [...accessions]
}

async function readLines(path: string): Promise<string[]> {
  await assertReadableFile(path, 'Give a text file with one company per line.')
  return (await Bun.file(path).text()).split('\n')
}

const invalid = (message: string) => new Failure('parameter_invalid', message, { param: 'companies' })
