import { Failure } from '../../../errors.ts'
import { dayOf, textOf } from '../../reading/fields.ts'

/** An annual securities report, whatever form it came in. */
export interface Report {
  /** `JP:S100VWVY`; the name of the file where no number of a document is known. */
  readonly accession: string
  readonly edinetCode: string
  /** 120 an annual securities report, 130 its amendment. */
  readonly form: string
  readonly filed: number
  /** The day on which the year of the report ends, where it says that the filer draws up accounts of the group. */
  readonly groupYearEnd: number | null
  readonly name: string | null
  readonly englishName: string | null
  /** Figures of the group or of the company alone for the report's years. */
  readonly figures: readonly ReportFigure[]
  /** Figures of any kind that the report states. */
  readonly figuresRead: number
}

export interface ReportFigure {
  /** `jppfs_cor:NetSales`. */
  readonly tag: string
  readonly isSolo: boolean
  /** First day; null for a figure that stands on a day. */
  readonly start: number | null
  readonly end: number
  /** `JPY`, `JPY/shares`. */
  readonly unit: string
  /** null: stated to be none. */
  readonly value: string | null
}

/** Why a figure is none of the `figures`: its context is that of a segment, a subsidiary, a class of shares, of half a
 * year. */
export const ofPart = 'a figure of a part of the company or of the year'

/** Counts of records that were left out on purpose, by the reason. */
export class LeftOut {
  readonly counts: Record<string, number> = {}

  add(reason: string, more = 1): void {
    if (more > 0) this.counts[reason] = (this.counts[reason] ?? 0) + more
  }
}

/** `CurrentYearDuration`, `Prior4YearInstant_NonConsolidatedMember`: years of the report, of the group or the company. */
export function parseContextId(id: string) {
  const parts = /^(CurrentYear|Prior(\d)Year)(Duration|Instant)(_NonConsolidatedMember)?$/.exec(id)
  if (parts === null) return null
  return {
    yearsAgo: parts[2] === undefined ? 0 : Number(parts[2]),
    isInstant: parts[3] === 'Instant',
    isSolo: parts[4] !== undefined,
  }
}

/** Two days of filing further apart are no slip of a few days, so neither is believed. */
const mostDaysApart = 31

/** What a report says of itself, from its name and the elements about the document.
 *
 * @param path of the file, which may bear the number of the document
 * @param stated the text of an element such as `jpdei_cor:EDINETCodeDEI`
 * @returns a reason where the report has no day of filing that can be believed */
export function reportHead(
  path: string,
  name: ReportName,
  stated: (tag: string) => string | null,
): Omit<Report, 'figures' | 'figuresRead'> | { readonly reason: string } {
  const code = stated('jpdei_cor:EDINETCodeDEI')
  if (code !== null && code !== name.code) {
    throw new Failure('body_invalid', `The report is named after ${name.code} and is of ${code}.`)
  }
  const filed = filedOn(name.filed, dayOf(stated('jpcrp_cor:FilingDateCoverPage')))
  if (Number.isNaN(filed)) return { reason: 'a report without a day of filing' }
  const isAmendment = stated('jpdei_cor:AmendmentFlagDEI') === 'true' || name.submission > 1
  const isGroup = stated('jpdei_cor:WhetherConsolidatedFinancialStatementsArePreparedDEI') === 'true'
  const yearEnd = dayOf(stated('jpdei_cor:CurrentFiscalYearEndDateDEI'))
  return {
    accession: `JP:${documentIdIn(path) ?? name.stem}`,
    edinetCode: name.code,
    form: isAmendment ? '130' : '120',
    filed,
    groupYearEnd: isGroup && yearEnd > 0 ? yearEnd : null,
    name: textOf(stated('jpdei_cor:FilerNameInJapaneseDEI')),
    englishName: textOf(stated('jpdei_cor:FilerNameInEnglishDEI')),
  }
}

/** The day in the file's name and the day on the cover are one as a rule. Where they differ by little the later counts:
 * nothing may be seen before it was filed. */
function filedOn(named: number, onCover: number): number {
  if (Number.isNaN(named)) return onCover
  if (Number.isNaN(onCover)) return named
  return Math.abs(named - onCover) > mostDaysApart ? Number.NaN : Math.max(named, onCover)
}

/** What the name of a report's file says: `jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28`. */
export interface ReportName {
  /** The name without its ending: the same for all forms of one report. */
  readonly stem: string
  /** `jpcrp030000-asr`: taxonomy, form and kind of report. */
  readonly kind: string
  /** EDINET code of a filer (E) or of a fund (G). */
  readonly code: string
  /** How many times the report was submitted; 1: it is no amendment. */
  readonly submission: number
  /** Day of submission in Japan. */
  readonly filed: number
}

const pattern =
  /(?:^|[/\\!_])((jp[a-z]+\d{6}-[a-z]+|jpaud-[a-z]+-[a-z]+)-\d{3}_([EG]\d{5})-\d{3}_\d{4}-\d\d-\d\d_(\d\d)_(\d{4}-\d\d-\d\d))(?:_ixbrl\.htm|\.[a-z]+)$/

/** null: the file does not bear a name of the register's. */
export function parseReportName(path: string): ReportName | null {
  const parts = pattern.exec(path)
  if (parts === null) return null
  const [, stem, kind, code, submission, filed] = parts
  return { stem, kind, code, submission: Number(submission), filed: dayOf(filed) }
}

/** The number of a document (`S100VWVY`) as the nearest file or folder of its path bears it. */
export function documentIdIn(path: string): string | null {
  const found = [...path.matchAll(/(?:^|[/\\!])(S1\d\d[0-9A-Z]{4})(?=[/\\!._-])/g)].at(-1)
  return found?.[1] ?? null
}

/** Why a report of this name is none that accounts are taken from; null: it is one. */
export function reasonLeftOut({ kind, code }: ReportName): string | null {
  if (kind.startsWith('jpaud-')) return "an auditor's report"
  if (code.startsWith('G')) return 'a report of a fund'
  return /^jpcrp\d{6}-asr$/.test(kind) ? null : 'a report other than an annual securities report'
}
