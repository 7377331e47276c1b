import type { Sql, TransactionSql } from '../postgres/client.ts'
import { registrableDomain } from './emailAddress.ts'

/** Whether a company has used its evaluation: there is one for each registrable domain, for ever. Grants of earlier versions hold whole
 * domains (mail.fund.co.uk), which count for what is registered (fund.co.uk).
 *
 * @param domain registrable */
export async function isEvaluationUsed(sql: Sql | TransactionSql, domain: string): Promise<boolean> {
  const found = await sql<{ stored: string }[]>`
    select evaluation_domain as stored from key_grant
    where evaluation_domain is not null
      and (evaluation_domain = ${domain} or right(evaluation_domain, length(${domain}) + 1) = '.' || ${domain})`
  // Below a suffix such as github.io each name is a company of its own.
  const owners = await Promise.all(found.map(({ stored }) => registrableDomain(stored)))
  return owners.includes(domain)
}

/** Takes a company's evaluation for the rest of the transaction: of several at once, on however many servers, one gets it. Returns false
 * if it is used. */
export async function claimEvaluation(transaction: TransactionSql, domain: string): Promise<boolean> {
  await transaction`select pg_advisory_xact_lock(hashtextextended(${`asfiled evaluation ${domain}`}, 0))`
  return !(await isEvaluationUsed(transaction, domain))
}
