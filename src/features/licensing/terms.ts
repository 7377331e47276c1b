import { grantOf, type OrderTerms } from '../../access/keys.ts'
import type { NewGrant } from '../../access/queries.ts'
import { addDays, type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type Licence, licences } from '../../rights/licences.ts'

/** Licences that a person may request. */
export const requestable = ['personal', 'commercial', 'redistribution', 'oem'] as const

/** Licences that an operator may add to a key: the requestable ones, and the free one for the quant plan. */
export const grantable = ['free', ...requestable] as const

/** What an operator grants. Custom limits are terms of an OEM order form. */
export interface GrantOrder extends OrderTerms {
  readonly firstDay: IsoDate
  /** Null for no end. */
  readonly lastDay: IsoDate | null
}

/** A grant as it is stored. */
export interface PeriodGrant extends NewGrant {
  readonly startsAt: string
}

/** Later starts or ends are taken for typing errors. */
const maxDaysAhead = 366
const maxYears = 20

/** The grant for an order; throws a Failure that says what is wrong with it. */
export function grantFor(order: GrantOrder, today: IsoDate): PeriodGrant {
  const { licence, quant, firstDay, lastDay } = order
  const own = [order.perMinute, order.perDay, order.entityCap, order.bulk].some(term => term !== undefined)
  if (own && licence !== 'oem')
    throw invalid(
      'licence',
      `Custom limits are only available with an OEM order form; the ${licence} licence has fixed limits. Leave them out, or grant an OEM licence.`,
    )
  if (licence === 'free' && !quant)
    throw invalid(
      'licence',
      'The Free Licence is only granted together with the quant plan, because free keys need no grant.',
    )
  checkPeriod(firstDay, lastDay, today)
  return { ...grantOf(order, '', lastDay), startsAt: `${firstDay}T00:00:00Z` }
}

/** Throws for days that do not exist or between which no licence can run. */
export function checkPeriod(firstDay: IsoDate, lastDay: IsoDate | null, today: IsoDate): void {
  if (!isIsoDate(firstDay)) throw invalid('first', `The first day is not a date. Write it like ${today}.`)
  if (firstDay < today || firstDay > addDays(today, maxDaysAhead))
    throw invalid(
      'first',
      `The first day is ${firstDay}. It may be from today, ${today} (UTC), to a year ahead.`,
    )
  if (lastDay !== null) checkLastDay(lastDay, firstDay, today)
}

export function checkLastDay(lastDay: IsoDate, firstDay: IsoDate, today: IsoDate): void {
  if (!isIsoDate(lastDay)) throw invalid('last', 'The last day is not a date. Write it like 2030-12-31.')
  if (lastDay < firstDay || lastDay < today)
    throw invalid(
      'last',
      `The last day is ${lastDay}, which is before ${firstDay < today ? `today, ${today} (UTC)` : `the first day, ${firstDay}`}.`,
    )
  if (lastDay > addDays(today, maxYears * 366))
    throw invalid(
      'last',
      `The last day is ${lastDay}, more than ${maxYears} years ahead. Leave it out for a licence without end.`,
    )
}

/** The requested first day, or today if it has passed. */
export function firstDayFrom(wished: IsoDate, today: IsoDate): IsoDate {
  if (wished < today) return today
  return wished
}

/** The licence with this name, or null if it cannot be granted. */
export const grantableLicence = (text: string): Licence | null =>
  licences.find(licence => licence === text && grantable.some(name => name === text)) ?? null

export const licenceTitle = (licence: string | null, quant: boolean): string => {
  if (licence === null) return 'Quant plan'
  const name = licence === 'oem' ? 'OEM' : licence[0].toUpperCase() + licence.slice(1)
  return quant ? `${name} + quant` : name
}

export const invalid = (param: string, message: string) =>
  new Failure('parameter_invalid', message, { param })
