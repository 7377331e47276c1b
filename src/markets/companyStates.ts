import { Failure } from '../errors.ts'

/** Whether a company still reports, as known on a day. Migration 0046_universe.sql defines the states. */
export const companyStates = ['reporting', 'delisted', 'deregistered', 'ceased', 'unknown'] as const
export type CompanyState = (typeof companyStates)[number]

/** Reads a list of states separated by commas, each once. */
export function readStates(param: string, sent: string): CompanyState[] {
  const names = sent.split(',').map(name => name.trim().toLowerCase())
  const states = names.flatMap(name => companyStates.find(state => state === name) ?? [])
  if (states.length === names.length && new Set(states).size === states.length) return states
  throw new Failure(
    'parameter_invalid',
    `${param}=${sent.slice(0, 80)} must list states, each once: ${companyStates.join(', ')}.`,
    { param },
  )
}
