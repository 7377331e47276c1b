import { addBusinessDays } from '../../../backtest/dataset/calendar.ts'
import { addDays, dayNumber, type IsoDate, isoDate } from '../../../dates.ts'
import type { Markets } from '../../../markets/markets.ts'

/** What the clock says about the days of a market. Days end at midnight there, not at midnight in UTC. */
export interface MarketDays {
  /** The first day that has not ended: a forecast for it or a later one is recorded in time. */
  readonly firstOpen: IsoDate
  /** The last day that has ended: outcomes are known up to it. */
  readonly lastEnded: IsoDate
}

/** Days of markets at one instant. The time zone is that of the market's manifest. Without a manifest the country's zones
 * decide, and without those all zones: a day counts as over for a forecast when it ended anywhere in the market, and for an
 * outcome when it ended everywhere. So neither is accepted too easily. */
export function marketDays(markets: Pick<Markets, 'get'>, now: Date): (market: string) => MarketDays {
  const known = new Map<string, MarketDays>()
  return market => {
    const cached = known.get(market)
    if (cached !== undefined) return cached
    const days = zonesOf(markets, market)
      .map(zone => localDay(now, zone))
      .sort()
    const found = { firstOpen: days[days.length - 1], lastEnded: addDays(days[0], -1) }
    known.set(market, found)
    return found
  }
}

/** The easternmost and the westernmost zone of the world: UTC+14 and UTC-12. */
const allZones = ['Etc/GMT-14', 'Etc/GMT+12']

function zonesOf(markets: Pick<Markets, 'get'>, market: string): readonly string[] {
  const manifest = markets.get(market)
  if (manifest !== undefined) return [manifest.calendar.timezone]
  const zones = new Intl.Locale(`und-${market}`).getTimeZones() ?? []
  return zones.length > 0 ? zones : allZones
}

function localDay(now: Date, timeZone: string): IsoDate {
  // The Swedish form of a date is YYYY-MM-DD.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now)
}

/** The last day over which a forecast's return is earned: the horizon's weekdays after its date. */
export function horizonEnd(date: IsoDate, horizonDays: number): IsoDate {
  return isoDate(addBusinessDays(dayNumber(date), horizonDays))
}
