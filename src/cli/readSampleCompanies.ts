import { Failure } from '../errors.ts'
import { registers } from '../registers/registers.ts'

const mostCompanies = 1_000

/** The companies that a sample is made of: a file of markets and the registers' own numbers, `JP E02367` a line. */
export async function readSampleCompanies(path: string): Promise<ReadonlySet<string>> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw fault(`There is no file ${path}.`)
  const companies = new Set<string>()
  for (const [index, line] of (await file.text()).split('\n').entries()) {
    const text = line.replace(/#.*/, '').trim()
    if (text === '') continue
    const [market, number, ...more] = text.split(/\s+/)
    if (!registers.has(market) || number === undefined || more.length > 0) {
      throw fault(
        `${path}:${index + 1}: ${text.slice(0, 50)} is no market and number of its register, like JP E02367.`,
      )
    }
    companies.add(`${market} ${number}`)
    if (companies.size > mostCompanies) throw fault(`${path} names more than ${mostCompanies} companies.`)
  }
  if (companies.size === 0) throw fault(`${path} names no company.`)
  return companies
}

const fault = (message: string) => new Failure('parameter_invalid', message, { param: 'companies' })
