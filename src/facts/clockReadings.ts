import type { ClockReading, Filing } from './reportedFact.ts'

/** All readings of the times of some filings, by accession. */
export type ReadingsByFiling = ReadonlyMap<string, readonly ClockReading[]>

/** Instants in milliseconds since 1970, by accession; null if the readings do not determine one. */
export type SettledTimes = ReadonlyMap<string, number | null>

/** Decides which instants the readings of some lists denote. The result must not depend on the order of the readings. */
export type SettleTimes = (readings: ReadingsByFiling) => SettledTimes

/** Returns the filing with the time that its readings denote. A filing without readings keeps its time. */
export function withSettledTime(filing: Filing, times: SettledTimes): Filing {
  const acceptedAt = times.get(filing.accession)
  return acceptedAt === undefined || acceptedAt === filing.acceptedAt ? filing : { ...filing, acceptedAt }
}

/** Returns the filings with the times that their own readings denote. */
export function settleFilings(
  filings: ReadonlyMap<string, Filing>,
  settleTimes: SettleTimes | null,
): ReadonlyMap<string, Filing> {
  const read = [...filings].flatMap(([accession, { readings }]) =>
    readings === undefined ? [] : [[accession, readings] as const],
  )
  if (settleTimes === null || read.length === 0) return filings
  const times = settleTimes(new Map(read))
  return new Map([...filings].map(([accession, filing]) => [accession, withSettledTime(filing, times)]))
}
