import { dayOf } from '../fields.ts'

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
