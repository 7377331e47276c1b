import { Type } from '@sinclair/typebox'
import { Failure } from '../errors.ts'

/**
 * What identities say about a figure. proved: an identity that the filing itself states holds to its rounding.
 * consistent: an identity holds that every such statement must satisfy, or that its lines show. contradicted: one does
 * not hold. unchecked: none applies. The states of stored figures follow from their own filings alone; a standard
 * statement also tries sums over filings before them.
 */
export const checkStates = ['proved', 'consistent', 'unchecked', 'contradicted'] as const
export type CheckState = (typeof checkStates)[number]

/** Which figures are left out because of what the identities of their filings say about them. */
export const ChecksParameter = Type.String({
  minLength: 6,
  maxLength: 60,
  description:
    'Only figures in these states, separated by commas. proved: an identity that the filing itself states holds within its rounding. consistent: an identity holds that every such statement must satisfy, or that the lines of the statement show. unchecked: no identity applies. contradicted: an identity does not hold. A derived figure has the weakest state of its inputs. A figure in any other state is left out, and no earlier one takes its place. Omit it for all figures.',
  examples: ['proved,consistent'],
})

/** Reads a list of states separated by commas, each once. Null if all are allowed. */
export function readChecks(sent: string | undefined, param = 'checks'): readonly CheckState[] | null {
  if (sent === undefined) return null
  const names = sent.split(',').map(name => name.trim().toLowerCase())
  const states = checkStates.filter(state => names.includes(state))
  if (states.length !== names.length)
    throw new Failure(
      'parameter_invalid',
      `${param}=${sent.slice(0, 80)} must be a list of these states, separated by commas and without repeats: ${checkStates.join(', ')}.`,
      { param },
    )
  return states.length === checkStates.length ? null : states
}
