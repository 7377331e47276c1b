import type { CheckState } from '../markets/checkStates.ts'

export interface LineCheck {
  readonly state: CheckState
  /** In words; null if unchecked. */
  readonly identity: string | null
  /** What the identity lacks, a plain decimal: its total minus the sum of its items; null if unchecked. */
  readonly difference: string | null
  /** Null if unchecked. */
  readonly sides: IdentitySides | null
}

/** Both sides of an identity, in the order of its words. */
export interface IdentitySides {
  readonly left: string
  readonly right: string
  readonly unit: string
  /** By how much rounding may let them differ. */
  readonly tolerance: number
}

/** An identity that was tried in a column, and the lines that it is about. */
export interface TriedIdentity extends LineCheck {
  readonly lines: ReadonlySet<string>
}

export const unchecked: LineCheck = { state: 'unchecked', identity: null, difference: null, sides: null }

/** A contradiction counts before any proof, and a proof before what is only consistent. */
export function worstOf(tried: readonly LineCheck[]): LineCheck {
  for (const state of ['contradicted', 'proved', 'consistent'] as const) {
    const found = tried.find(each => each.state === state)
    if (found !== undefined)
      return { state, identity: found.identity, difference: found.difference, sides: found.sides }
  }
  return unchecked
}

/** `a + b - c` in words. */
export const sumText = (items: readonly { readonly name: string; readonly weight: number }[]): string =>
  items.map(({ name, weight }, index) => `${weight < 0 ? '- ' : index === 0 ? '' : '+ '}${name}`).join(' ')
