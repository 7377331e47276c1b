import type { Licence } from '../../model/access.ts'

/** What a grant is sold with. Stored with the grant: this table decides new grants only. */
export interface SoldLimits {
  readonly perMinute: number
  /** null: no daily cap. */
  readonly perDay: number | null
  /** Distinct entities in the life of the key; null: no cap. */
  readonly entityCap: number | null
  readonly bulk: boolean
}

const table: Record<Licence, SoldLimits> = {
  demo: { perMinute: 60, perDay: 2_000, entityCap: null, bulk: false },
  free: { perMinute: 120, perDay: 5_000, entityCap: null, bulk: false },
  evaluation: { perMinute: 120, perDay: 2_000, entityCap: 1_000, bulk: false },
  personal: { perMinute: 300, perDay: null, entityCap: null, bulk: false },
  commercial: { perMinute: 1_000, perDay: null, entityCap: null, bulk: false },
  redistribution: { perMinute: 3_000, perDay: null, entityCap: null, bulk: true },
  oem: { perMinute: 3_000, perDay: null, entityCap: null, bulk: false },
}

const quantPerMinute = 300

/** The quant plan gives the larger of its own minute limit and the licence's, and lifts the daily cap; what the
 * licence says about entities and bulk files stays. */
export function soldLimits(licence: Licence, quant: boolean): SoldLimits {
  const sold = table[licence]
  if (!quant) return sold
  return { ...sold, perMinute: Math.max(quantPerMinute, sold.perMinute), perDay: null }
}
