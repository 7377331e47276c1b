import { Failure } from '../../../errors.ts'
import { dayOf, textOf } from '../../reading/fields.ts'
import type { WholeReport } from './wholeReport.ts'

/** An annual securities report, whether from XBRL, inline XBRL or CSV. */
export interface Report {
  /** `JP:S100VWVY`, or the name of the file if the document number is unknown. */
  readonly accession: string
  readonly edinetCode: string
  /** 120 for an annual securities report, 130 for its amendment. */
  readonly form: string
  readonly filed: number
  /**
   * The last day of the report's year; null unless the report says that the filer prepares group accounts.
   */
  readonly groupYearEnd: number | null
  /** The last day of the report's year; null if it is not stated. */
  readonly periodEnd: number | null
  readonly name: string | null
  readonly englishName: string | null
  /** Figures of the group or of the company alone for the report's years. */
  readonly figures: readonly ReportFigure[]
  /** Figures in the report, mapped or not. */
  readonly figuresRead: number
  readonly whole: WholeReport
}

export interface ReportFigure {
  /** `jppfs_cor:NetSales`. */
  readonly tag: string
  readonly isSolo: boolean
  /** First day, or null for an instant. */
  readonly start: number | null
  readonly end: number
  /** `JPY`, `JPY/shares`. */
  readonly unit: string
  /** Null if stated as nil. */
  readonly value: string | null
}

/**
 * The reason why a figure is not in `figures`: its context is a segment, a subsidiary, a class of shares or
 * half a year.
 */
export const ofPart = 'a figure for a part of the company or of the year'

/**
 * The year and basis in a context ID: `CurrentYearDuration`, `Prior4YearInstant_NonConsolidatedMember`. Null
 * if the context is not a whole year of the group or of the company.
 */
export function parseContextId(id: string) {
  const parts = /^(CurrentYear|Prior(\d)Year)(Duration|Instant)(_NonConsolidatedMember)?$/.exec(id)
  if (parts === null) return null
  return {
    yearsAgo: parts[2] === undefined ? 0 : Number(parts[2]),
    isInstant: parts[3] === 'Instant',
    isSolo: parts[4] !== undefined,
  }
}

/**
 * If filing dates differ by more than this, they differ by more than a slip of a few days, and neither is
 * trusted.
 */
const maxDaysApart = 31

/**
 * What a report states about itself, in its name and in the elements about the document.
 *
 * @param path of the file, which may contain the document number
 * @param stated the text of an element such as `jpdei_cor:EDINETCodeDEI`
 * @returns the reason why it is left out, if the report has no reliable filing date
 */
export function reportHead(
  path: string,
  name: ReportName,
  stated: (tag: string) => string | null,
): Omit<Report, 'figures' | 'figuresRead' | 'whole'> | { readonly reason: string } {
  const code = stated('jpdei_cor:EDINETCodeDEI')
  if (code !== null && code !== name.code) {
    throw new Failure(
      'body_invalid',
      `The file name of the report contains ${name.code}, but the report is of ${code}.`,
    )
  }
  const filed = filedOn(name.filed, dayOf(stated('jpcrp_cor:FilingDateCoverPage')))
  if (Number.isNaN(filed)) return { reason: 'a report without a filing date' }
  const isAmendment = stated('jpdei_cor:AmendmentFlagDEI') === 'true' || name.submission > 1
  const isGroup = stated('jpdei_cor:WhetherConsolidatedFinancialStatementsArePreparedDEI') === 'true'
  const yearEnd = dayOf(stated('jpdei_cor:CurrentFiscalYearEndDateDEI'))
  return {
    accession: `JP:${documentIdIn(path) ?? name.stem}`,
    edinetCode: name.code,
    form: isAmendment ? '130' : '120',
    filed,
    groupYearEnd: isGroup && yearEnd > 0 ? yearEnd : null,
    periodEnd: Number.isNaN(yearEnd) ? null : yearEnd,
    name: textOf(stated('jpdei_cor:FilerNameInJapaneseDEI')),
    englishName: textOf(stated('jpdei_cor:FilerNameInEnglishDEI')),
  }
}

/**
 * The dates in the file's name and on the cover usually agree. If they differ slightly, the later one counts:
 * nothing may be visible before it was filed.
 */
function filedOn(named: number, onCover: number): number {
  if (Number.isNaN(named)) return onCover
  if (Number.isNaN(onCover)) return named
  return Math.abs(named - onCover) > maxDaysApart ? Number.NaN : Math.max(named, onCover)
}

/** What the name of a report's file states: `jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28`. */
export interface ReportName {
  /** The name without its extension, the same for all formats of one report. */
  readonly stem: string
  /** `jpcrp030000-asr`: taxonomy, form and kind of report. */
  readonly kind: string
  /** EDINET code of a filer (E) or a fund (G). */
  readonly code: string
  /** 1 for the original report, 2 and above for its amendments. */
  readonly submission: number
  /** The day of submission in Japan. */
  readonly filed: number
}

const namePattern =
  /(?:^|[/\\!_])((jp[a-z]+\d{6}-[a-z]+|jpaud-[a-z]+-[a-z]+)-\d{3}_([EG]\d{5})-\d{3}_\d{4}-\d\d-\d\d_(\d\d)_(\d{4}-\d\d-\d\d))(?:_ixbrl\.htm|\.[a-z]+)$/

/** Null if the file's name does not follow the register's pattern. */
export function parseReportName(path: string): ReportName | null {
  const parts = namePattern.exec(path)
  if (parts === null) return null
  const [, stem, kind, code, submission, filed] = parts
  return { stem, kind, code, submission: Number(submission), filed: dayOf(filed) }
}

/** The document number (`S100VWVY`), from the innermost file or folder of the path that contains one. */
function documentIdIn(path: string): string | null {
  const found = [...path.matchAll(/(?:^|[/\\!])(S1\d\d[0-9A-Z]{4})(?=[/\\!._-])/g)].at(-1)
  return found?.[1] ?? null
}

/** The reason why no accounts are read from a report of this name; null if they are. */
export function reasonLeftOut({ kind, code }: ReportName): string | null {
  if (kind.startsWith('jpaud-')) return "an auditor's report"
  if (code.startsWith('G')) return 'a report of a fund'
  return /^jpcrp\d{6}-asr$/.test(kind) ? null : 'a report other than an annual securities report'
}
