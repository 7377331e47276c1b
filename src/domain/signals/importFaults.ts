import type { RefusedChange } from '../../store/signals/mergeBatch.ts'
import type { Contradiction } from '../../store/signals/settleRepeats.ts'

export interface SignalFault {
  line: number
  reason: string
}

const nameOf = (row: { date: string; ticker: string; market: string; horizonDays: number }) =>
  `${row.date} ${row.ticker} ${row.market} ${row.horizonDays}d`

export function contradictionFault(found: Contradiction): SignalFault {
  const which =
    found.lines === 2
      ? `lines ${found.firstLine} and ${found.lastLine} differ`
      : `${found.lines} lines from ${found.firstLine} to ${found.lastLine} differ`
  return {
    line: found.firstLine,
    reason: `${which} about ${nameOf(found)}: none was taken, keep the right one`,
  }
}

export function refusalFault(change: RefusedChange): SignalFault {
  const record = described(change.oldPredicted, change.oldActual, change.oldSource)
  const sent = described(change.predicted, change.actual, change.source)
  const what =
    change.oldActual === null
      ? 'a forecast cannot change in the line that brings its outcome'
      : 'a resolved outcome and its forecast do not change'
  return {
    line: change.line,
    reason: `${nameOf(change)} is on record with ${record}, the line says ${sent}: ${what}; --correct replaces it and keeps both`,
  }
}

function described(predicted: number, actual: number | null, source: string | null): string {
  const outcome = actual === null ? 'no outcome' : `outcome ${actual}`
  return `forecast ${predicted}, ${outcome}${source === null ? '' : `, ${source}`}`
}
