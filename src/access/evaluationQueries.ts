import type { Sql, TransactionSql } from '../postgres/client.ts'
import { registrableDomain } from './emailAddress.ts'

/** Whether a company has used its evaluation. Each registrable domain gets one, permanently. Grants by
 * earlier versions store whole domains (mail.fund.co.uk), which count as their registrable domain
 * (fund.co.uk).
 *
 * @param domain registrable */
export async function isEvaluationUsed(sql: Sql | TransactionSql, domain: string): Promise<boolean> {
  const found = await sql<{ stored: string }[]>`
    select evaluation_domain as stored from key_grant
    where evaluation_domain is not null
      and (evaluation_domain = ${domain} or right(evaluation_domain, length(${domain}) + 1) = '.' || ${domain})`
  // Below a suffix such as github.io, each name is a separate company.
  const owners = await Promise.all(found.map(({ stored }) => registrableDomain(stored)))
  return owners.includes(domain)
}

/** Claims a company's evaluation for the rest of the transaction. Of several concurrent claims, on any number
 * of servers, only one succeeds. Returns false if the evaluation has been used. */
export async function claimEvaluation(transaction: TransactionSql, domain: string): Promise<boolean> {
  await transaction`select pg_advisory_xact_lock(hashtextextended(${`asfiled evaluation ${domain}`}, 0))`
  return !(await isEvaluationUsed(transaction, domain))
}
