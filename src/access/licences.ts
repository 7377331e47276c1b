export const licences = [
  'demo',
  'free',
  'evaluation',
  'personal',
  'commercial',
  'redistribution',
  'oem',
] as const
export type Licence = (typeof licences)[number]

/** Who asks, as far as the verbs need to know. Made by authentication, read by every verb that decides what
 * is seen. */
export interface Principal {
  /** null for the demo key, which is shared by everybody. */
  readonly keyId: number | null
  readonly licence: Licence
  readonly quant: boolean
  /** Distinct entities the key may see in its life; null: no cap. */
  readonly entityCap: number | null
  readonly bulk: boolean
}

/** What a response calls the key's plan: `quant` where that plan is on, else the licence. */
export function tierOf(principal: Principal): string {
  return principal.quant ? 'quant' : principal.licence
}

/** The `licence` field of every response to a free or demo key. */
export const freeLicenceNotice =
  'Supplied under the Free Licence: for evaluation and personal use, with attribution; no redistribution.'

/** Keys whose data is Free Data: each of their answers says so. */
export const isFreeData = ({ licence }: Principal): boolean => licence === 'demo' || licence === 'free'

/** The answer with the Free Licence's notice, where the caller holds no other. */
export function licensed<Answer extends object>(
  principal: Principal,
  answer: Answer,
): Answer & { licence?: string } {
  return isFreeData(principal) ? { ...answer, licence: freeLicenceNotice } : answer
}

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
