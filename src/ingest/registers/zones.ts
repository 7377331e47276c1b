import { zoneOf } from '../../zones.ts'

/** The zones in which markets count their filing days. A test compares them with the manifests. */
export const registerZones: Readonly<Record<string, string>> = {
  BE: 'Europe/Brussels',
  DK: 'Europe/Copenhagen',
  FR: 'Europe/Paris',
  JP: 'Asia/Tokyo',
  KR: 'Asia/Seoul',
  NZ: 'Pacific/Auckland',
  TW: 'Asia/Taipei',
  US: 'America/New_York',
}

/** The zone in which days end last. */
const lastZone = 'Etc/GMT+12'

/** When the days of a market end, in milliseconds since 1970. */
export function endOfDayIn(market: string): (day: number) => number {
  const zone = zoneOf(registerZones[market] ?? lastZone)
  return day => zone.endOfDay(day)
}
