import { Failure } from '../errors.ts'
import type { Manifest } from '../model/market.ts'

const mostCompanies = 5_000_000

/** The issuer numbers in a file, one a line, as the register writes them: with the zeros that people leave out. */
export async function readCompanies(path: string, { issuer, name }: Manifest): Promise<string[]> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw fault(`There is no file ${path}.`)
  const pattern = new RegExp(issuer.pattern)
  const numbers = new Set<string>()
  for (const [index, line] of (await file.text()).split('\n').entries()) {
    const text = line.trim().toUpperCase()
    if (text === '' || text.startsWith('#')) continue
    const number = pattern.exec(text)?.[1]
    if (number === undefined) {
      throw fault(
        `${path}:${index + 1}: ${text.slice(0, 50)} is no ${issuer.name} of ${name}, like ${issuer.example}.`,
      )
    }
    numbers.add(number.padStart(issuer.digits ?? 0, '0'))
    if (numbers.size > mostCompanies) throw fault(`${path} has more than ${mostCompanies} numbers.`)
  }
  if (numbers.size === 0) throw fault(`${path} names no company.`)
  return [...numbers]
}

const fault = (message: string) => new Failure('parameter_invalid', message, { param: 'companies' })
