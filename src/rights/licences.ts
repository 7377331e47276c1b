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

/** The caller's licence, plan and cap, on which `Rights` bases its decisions. */
export interface Principal {
  /** null: the demo key, which all users share. */
  readonly keyId: number | null
  readonly licence: Licence
  readonly quant: boolean
  /** Distinct entities that the key may ever see; null: no cap. */
  readonly entityCap: number | null
  readonly bulk: boolean
}

/** The demo key, and visitors of pages without an account. */
export const demoPrincipal: Principal = Object.freeze({
  keyId: null,
  licence: 'demo',
  quant: false,
  entityCap: null,
  bulk: false,
})

/** The key's plan as responses name it: `quant` if the key has that plan, else its licence. */
export function tierOf(principal: Principal): string {
  return principal.quant ? 'quant' : principal.licence
}

/** The value of `licence` in every response to a free or demo key. */
export const freeLicenceNotice =
  'Supplied under the Free Licence: for evaluation and personal use, with attribution; no redistribution.'

/** Where the Free Licence is explained. */
export const freeLicenceAddress = '/docs/guides/keys-and-limits#licences'

/** True for keys whose data is Free Data. Each of their responses carries the notice. */
export const isFreeData = ({ licence }: Pick<Principal, 'licence'>): boolean =>
  licence === 'demo' || licence === 'free'

/** Adds the notice of the Free Licence if the caller has no other licence. */
export function withLicenceNotice<Answer extends object>(
  principal: Principal,
  answer: Answer,
): Answer & { licence?: string } {
  return isFreeData(principal) ? { ...answer, licence: freeLicenceNotice } : answer
}

/** Rows per minute that may be joined with a free key, or from one address with the demo key. */
const freeRowsPerMinute = 100_000
/** The same limit for all addresses of one network together. One person may control them all, but they may
 * also belong to an office. */
const networkRowsPerMinute = 5 * freeRowsPerMinute

/** Rows that a key may join per minute, across all its requests. */
export interface RowLimits {
  readonly perMinute: number
  readonly perMinuteOfNetwork: number
}

/** Demo and free keys without the quant plan. Their requests may use only the share of a server's threads and
 * memory that is not reserved for paying callers. */
export const isUnpaid = (principal: Pick<Principal, 'licence' | 'quant'>): boolean =>
  isFreeData(principal) && !principal.quant

/** The row limits; null: none. They are not stored with a grant, because all grants of a licence share
 * them. */
export const rowLimits = (principal: Pick<Principal, 'licence' | 'quant'>): RowLimits | null =>
  isUnpaid(principal) ? { perMinute: freeRowsPerMinute, perMinuteOfNetwork: networkRowsPerMinute } : null

/** The limits of a new grant. They are stored with the grant, so a change of this table leaves existing
 * grants as they are. */
interface LicenceLimits {
  readonly perMinute: number
  /** null: no daily cap. */
  readonly perDay: number | null
  /** Distinct entities that the key may ever see; null: no cap. */
  readonly entityCap: number | null
  readonly bulk: boolean
  /** Bytes of request bodies that a caller may have in flight on one server; null: limited only by the
   * server's memory. Unlike the other limits, this one is not stored with a grant. */
  readonly bodyBytes: number | null
}

const megabyte = 1_024 * 1_024

const limitsByLicence: Record<Licence, LicenceLimits> = {
  demo: { perMinute: 60, perDay: 2_000, entityCap: null, bulk: false, bodyBytes: megabyte },
  free: { perMinute: 120, perDay: 5_000, entityCap: null, bulk: false, bodyBytes: megabyte },
  evaluation: { perMinute: 120, perDay: 2_000, entityCap: 1_000, bulk: false, bodyBytes: null },
  personal: { perMinute: 300, perDay: null, entityCap: null, bulk: false, bodyBytes: null },
  commercial: { perMinute: 1_000, perDay: null, entityCap: null, bulk: false, bodyBytes: null },
  redistribution: { perMinute: 3_000, perDay: null, entityCap: null, bulk: true, bodyBytes: null },
  oem: { perMinute: 3_000, perDay: null, entityCap: null, bulk: false, bodyBytes: null },
}

/** What a key with the quant plan may store. */
export interface PanelLimits {
  /** The bytes of all its panels together, as counted in their `bytes`: 22 per row, or 30 with volumes. */
  readonly storedBytes: number
}

const gigabyte = 1_024 * megabyte
const panelLimitsByLicence: Record<Licence, PanelLimits> = {
  demo: { storedBytes: 4 * gigabyte },
  free: { storedBytes: 4 * gigabyte },
  evaluation: { storedBytes: 4 * gigabyte },
  personal: { storedBytes: 16 * gigabyte },
  commercial: { storedBytes: 64 * gigabyte },
  redistribution: { storedBytes: 64 * gigabyte },
  oem: { storedBytes: 64 * gigabyte },
}

/** The limits on stored panels. Without the quant plan, nothing can be stored. */
export const panelLimits = ({ licence }: Pick<Principal, 'licence'>): PanelLimits =>
  panelLimitsByLicence[licence]

const quantPerMinute = 300

/** The limits of a licence. The quant plan raises the minute limit to at least the plan's own, and removes
 * both the daily cap and the licence's limit on request bodies. It changes neither the entity cap nor bulk
 * access. */
export function licenceLimits(licence: Licence, quant: boolean): LicenceLimits {
  const limits = limitsByLicence[licence]
  if (!quant) return limits
  return { ...limits, perMinute: Math.max(quantPerMinute, limits.perMinute), perDay: null, bodyBytes: null }
}

/** The priority of a caller when a server runs out of room: lower ranks give way. Paying callers share the
 * highest rank, and the quant plan confers it on any licence. */
export function rankOf({ licence, quant }: Pick<Principal, 'licence' | 'quant'>): number {
  return quant ? paidRank : Math.min(paidRank, licences.indexOf(licence))
}

const paidRank = licences.indexOf('personal')
