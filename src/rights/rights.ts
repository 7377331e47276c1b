import { addDays, type IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { demoPrincipal, type Principal } from './licences.ts'
import { OpenHistory } from './openHistory.ts'

/** How long signals are delayed without the quant plan. */
const signalDelayDays = 90

/** What a caller may see. Authentication creates the rights of a key, of a visitor's account and of the demo
 * key (`rightsFor`), and everything that shows figures consults them. What each licence includes is in
 * `licences.ts`, whose history is open in `openHistory.ts`, and how companies count against a cap in
 * `entityCap.ts`. */
export class Rights extends OpenHistory implements Principal {
  readonly keyId: number | null
  readonly quant: boolean
  readonly entityCap: number | null
  readonly bulk: boolean

  /** @param flagships ids in upper case; without them, no company is open to everybody */
  constructor(
    { keyId, licence, quant, entityCap, bulk }: Principal,
    flagships: ReadonlySet<string> = new Set(),
  ) {
    super(licence, flagships)
    this.keyId = keyId
    this.quant = quant
    this.entityCap = entityCap
    this.bulk = bulk
  }

  /** Fails if the caller may not download the whole data set.
   *
   * @param what the subject of the message's sentence */
  requireBulk(what: string): void {
    if (this.bulk) return
    const mend =
      this.licence === 'oem'
        ? 'an OEM licence includes them where its order form says so, and this one does not'
        : `this ${this.licence} key does not include them`
    throw new Failure(
      'licence_required',
      `${what} need the redistribution licence; ${mend}. The operator creates such a key with \`./asfiled keys create --email <address> --licence redistribution\`.`,
      { param: 'Authorization' },
    )
  }

  /** Whether the caller may see a set of the operator's prices. One that the caller may not see looks like no set. */
  maySeePrices(set: PriceSetAccess): boolean {
    if (this.keyId !== null && set.keyIds.includes(this.keyId)) return true
    return set.access === 'licence' && set.licences.includes(this.licence)
  }

  /** How many days the newest signals are withheld. */
  get signalDelayDays(): number {
    return this.quant ? 0 : signalDelayDays
  }

  /** The last day whose signals are shown; null: all are. */
  lastSignalDay(today: IsoDate): IsoDate | null {
    return this.quant ? null : addDays(today, -signalDelayDays)
  }
}

/** Who may see a set of prices. */
export interface PriceSetAccess {
  readonly access: 'private' | 'licence'
  /** The licences whose keys may see it. */
  readonly licences: readonly string[]
  /** The keys that may see it whatever their licence. */
  readonly keyIds: readonly number[]
}

export type RightsOf = (principal: Principal) => Rights

/** Creates the rights of all callers of a process, given its flagship companies. */
export function rightsFor({ flagshipTickers }: { readonly flagshipTickers: readonly string[] }): RightsOf {
  const flagships = new Set(flagshipTickers.map(ticker => ticker.toUpperCase()))
  const demo = new Rights(demoPrincipal, flagships)
  return principal => (principal === demoPrincipal ? demo : new Rights(principal, flagships))
}
