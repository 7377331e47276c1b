import { addBusinessDays } from '../../../backtest/dataset/calendar.ts'
import { addDays, dayNumber, type IsoDate, isoDate } from '../../../dates.ts'
import type { Markets } from '../../../markets/markets.ts'

/** Which of a market's days have ended at one instant. Days end at midnight in the market, not in UTC. */
export interface MarketDays {
  /** The first day that has not ended: a forecast for it or a later day is recorded in time. */
  readonly firstOpen: IsoDate
  /** The last day that has ended: outcomes are known up to it. */
  readonly lastEnded: IsoDate
}

/**
 * The days of markets at one instant, in the time zone of the market's manifest. Without a manifest, the
 * country's zones decide, or all zones if the country has none: for a forecast a day counts as over once it
 * has ended anywhere in the market, and for an outcome once it has ended everywhere. Thus neither is accepted
 * too easily.
 */
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

/** The easternmost and westernmost time zones of the world: UTC+14 and UTC-12. */
const allZones = ['Etc/GMT-14', 'Etc/GMT+12']

function zonesOf(markets: Pick<Markets, 'get'>, market: string): readonly string[] {
  const manifest = markets.get(market)
  if (manifest !== undefined) return [manifest.calendar.timezone]
  const zones = new Intl.Locale(`und-${market}`).getTimeZones() ?? []
  return zones.length > 0 ? zones : allZones
}

function localDay(now: Date, timeZone: string): IsoDate {
  // The Swedish date format is YYYY-MM-DD.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now)
}

/** The last day of a forecast's return: its date plus the horizon's weekdays. */
export function horizonEnd(date: IsoDate, horizonDays: number): IsoDate {
  return isoDate(addBusinessDays(dayNumber(date), horizonDays))
}
