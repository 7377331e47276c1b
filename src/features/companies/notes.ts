import type { Manifest } from '../../markets/manifest.ts'
import type { CompanyIdentity } from './queries.ts'

/**
 * A note on an ID whose suffix is assumed, otherwise null. In a market with several suffixes (.KS, .KQ) the
 * register may not state the board; the company then has an ID with each suffix.
 *
 * @param others further IDs of the company
 */
export function assumedSuffix(
  manifest: Manifest | undefined,
  ticker: string,
  others: readonly string[],
): string | null {
  const suffixes = manifest?.id.suffixes ?? []
  const suffix = suffixes.find(ending => ticker.endsWith(ending))
  if (suffixes.length < 2 || suffix === undefined) return null
  const number = ticker.slice(0, -suffix.length)
  const twins = suffixes
    .map(ending => `${number}${ending}`)
    .filter(twin => twin !== ticker && others.includes(twin))
  if (twins.length === 0) return null
  return `The suffix ${suffix} is assumed: it is not on record yet which of ${suffixes.join(' and ')} ${number} has. ${twins.join(', ')} is an ID of the same company.`
}

/**
 * Adds the market's usual reason for missing figures: in some markets, accounts do not state their own filing
 * date.
 */
export const withReason = (absence: string, manifest: Manifest | undefined): string =>
  manifest?.filed.undated === undefined ? absence : `${absence} ${manifest.filed.undated}`

/**
 * The former ID that was sent for a company; null for a current one or for the register's number, which never
 * changes.
 */
export const formerIdOf = ({ sentId, issuerId }: Pick<CompanyIdentity, 'sentId' | 'issuerId'>) =>
  sentId === issuerId ? null : sentId

/**
 * A note on an ID that is not a current one of its company, or that another company had before; otherwise
 * null.
 */
export function changedId(
  id: string,
  company: Pick<CompanyIdentity, 'ticker' | 'sentId' | 'issuerId' | 'formerHolders'>,
): string | null {
  const { ticker, formerHolders } = company
  const isFormer = formerIdOf(company) !== null
  const renamed = isFormer ? [`${id} is not the current ID of this company; that is ${ticker}.`] : []
  const others = formerHolders.length === 1 ? 'another company' : 'other companies'
  const handed =
    formerHolders.length === 0 ? [] : [`${id} was the ID of ${others} before: ${formerHolders.join(', ')}.`]
  const notes = [...renamed, ...handed]
  return notes.length === 0 ? null : notes.join(' ')
}
