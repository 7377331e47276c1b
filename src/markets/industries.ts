import siccodes49 from '../../manifests/siccodes49.txt' with { type: 'text' }
import { Failure } from '../errors.ts'

/**
 * Schemes that group companies by the SIC code that their filings state. sicDivision: the letter of the division;
 * sic2, sic3: the first digits; sic4: the code; ff49: the abbreviation of one of Kenneth French's 49
 * industries.
 */
export const groupSchemes = ['sicDivision', 'sic2', 'sic3', 'sic4', 'ff49'] as const
export type GroupScheme = (typeof groupSchemes)[number]

/** The first and last SIC code of a range. */
interface CodeRange {
  readonly first: number
  readonly last: number
}

interface Industry {
  readonly code: string
  readonly name: string
  readonly ranges: readonly CodeRange[]
}

/** The file has a header line for each industry (` 3 Soda   Candy & Soda`) and a line for each range of codes
 * (`2064-2068 ...`). */
function parseIndustries(text: string): Industry[] {
  const industries: { code: string; name: string; ranges: CodeRange[] }[] = []
  for (const line of text.split('\n')) {
    const [, first, last] = /^\s+(\d{4})-(\d{4})(\s|$)/.exec(line) ?? []
    const [, head, name = ''] = /^\s?\d{1,2} (\w+)\s+(.*)/.exec(line) ?? []
    if (first !== undefined) industries.at(-1)?.ranges.push({ first: Number(first), last: Number(last) })
    else if (head !== undefined) industries.push({ code: head, name: name.trim(), ranges: [] })
  }
  return industries
}

const ff49 = parseIndustries(siccodes49)

/** The divisions of the Standard Industrial Classification of 1987, without `K`, nonclassifiable establishments. */
const divisions: readonly Industry[] = [
  ['A', 'Agriculture, forestry and fishing', 100, 999],
  ['B', 'Mining', 1000, 1499],
  ['C', 'Construction', 1500, 1799],
  ['D', 'Manufacturing', 2000, 3999],
  ['E', 'Transportation, communications and utilities', 4000, 4999],
  ['F', 'Wholesale trade', 5000, 5199],
  ['G', 'Retail trade', 5200, 5999],
  ['H', 'Finance, insurance and real estate', 6000, 6799],
  ['I', 'Services', 7000, 8999],
  ['J', 'Public administration', 9100, 9729],
].map(([code, name, first, last]) => ({
  code: String(code),
  name: String(name),
  ranges: [{ first: Number(first), last: Number(last) }],
}))

const digits: Partial<Record<GroupScheme, number>> = { sic2: 2, sic3: 3, sic4: 4 }

/** The group of a code as a filing states it (`SIC 3571`); null if it has none. */
export function groupOf(scheme: GroupScheme, sector: string | null): string | null {
  const [, text] = /^SIC (\d{4})\b/.exec(sector ?? '') ?? []
  if (text === undefined) return null
  const length = digits[scheme]
  if (length !== undefined) return text.slice(0, length)
  const code = Number(text)
  const industries = scheme === 'ff49' ? ff49 : divisions
  return (
    industries.find(({ ranges }) => ranges.some(({ first, last }) => first <= code && code <= last))?.code ??
    null
  )
}

/** What people call a group; null for digits of the SIC, whose names are not stored. */
export const groupName = (scheme: GroupScheme, code: string): string | null =>
  (scheme === 'ff49' ? ff49 : scheme === 'sicDivision' ? divisions : []).find(one => one.code === code)
    ?.name ?? null

/** A scheme and, optionally, the groups that are selected. */
export interface Grouping {
  readonly scheme: GroupScheme
  /** Null for all companies, even those without a group. */
  readonly codes: readonly string[] | null
}

/** Reads `ff49`, or `ff49:Softw,Hardw` for these groups alone. */
export function readGrouping(sent: string, param = 'group'): Grouping {
  const [name = '', list, ...rest] = sent.split(':')
  const scheme = groupSchemes.find(known => known.toLowerCase() === name.trim().toLowerCase())
  if (scheme === undefined || rest.length > 0)
    throw invalid(param, sent, `must be one of ${groupSchemes.join(', ')}`)
  if (list === undefined) return { scheme, codes: null }
  const codes = list.split(',').map(code => knownCode(scheme, code.trim(), param))
  return { scheme, codes: [...new Set(codes)].sort() }
}

function knownCode(scheme: GroupScheme, sent: string, param: string): string {
  const length = digits[scheme]
  if (length !== undefined) {
    if (sent.length === length && /^\d+$/.test(sent)) return sent
    throw invalid(param, `${scheme}:${sent}`, `must have ${length} digits`)
  }
  const known = (scheme === 'ff49' ? ff49 : divisions).map(({ code }) => code)
  const code = known.find(one => one.toLowerCase() === sent.toLowerCase())
  if (code !== undefined) return code
  throw invalid(param, `${scheme}:${sent}`, `is not one of ${known.join(', ')}`)
}

/** The SIC codes of some groups. */
export const codeRanges = ({ scheme, codes }: Grouping): readonly CodeRange[] =>
  (codes ?? []).flatMap(code => {
    const length = digits[scheme]
    if (length === undefined)
      return (scheme === 'ff49' ? ff49 : divisions).find(industry => industry.code === code)?.ranges ?? []
    const width = 10 ** (4 - length)
    return [{ first: Number(code) * width, last: Number(code) * width + width - 1 }]
  })

const invalid = (param: string, sent: string, why: string) =>
  new Failure('parameter_invalid', `${param}=${sent.slice(0, 40)} ${why}.`, { param })
