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
