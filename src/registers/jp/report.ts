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
