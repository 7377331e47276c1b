import type { Command } from 'commander'
import { listGrants } from '../../access/queries.ts'
import { Failure } from '../../errors.ts'
import { listAudit } from '../../features/account/auditQueries.ts'
import { listHeldKeys } from '../../features/account/standingQueries.ts'
import { findAccount, type ListedAccount, listAccounts } from '../../features/admin/accountQueries.ts'
import { listRequests } from '../../features/licensing/requestQueries.ts'
import { licenceTitle } from '../../features/licensing/terms.ts'
import { listOrders } from '../../features/orders/orderQueries.ts'
import type { CliContext } from '../context.ts'
import { parsePositiveInteger } from '../options.ts'
import { printLine, textTable } from '../output.ts'

const defaultLimit = 100
const shownRows = 20

const listHelp = `
Examples:
  ./asfiled accounts
  ./asfiled accounts list --email fund.example --json`

const showHelp = `
Examples:
  ./asfiled accounts show ana@fund.example
  ./asfiled accounts show ana@fund.example --json | jq .grants`

/** `accounts list` and `accounts show`. `accounts` alone lists. */
export function addAccountsCommand(program: Command, context: CliContext): void {
  const accounts = program
    .command('accounts')
    .description('List accounts, or show one with its keys, grants, requests and events')
    .addHelpText('after', listHelp)
  accounts
    .command('list', { isDefault: true })
    .description('List accounts, the latest first')
    .option('--email <part>', 'Only accounts whose address contains this', '')
    .option('--limit <n>', 'How many', parsePositiveInteger, defaultLimit)
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', listHelp)
    .action((options: ListOptions) => list(context, options))
  accounts
    .command('show')
    .description('Show an account with its keys, grants, requests and latest events')
    .argument('<email>', 'Address of the account')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', showHelp)
    .action((email: string, options: { json: boolean }) => show(context, email, options.json))
}

interface ListOptions {
  readonly email: string
  readonly limit: number
  readonly json: boolean
}

async function list(context: CliContext, { email, limit, json }: ListOptions): Promise<void> {
  const found = await context.withDatabase(sql => listAccounts(sql, { email, before: null, limit }))
  if (json) return printLine(JSON.stringify(found))
  if (found.length === 0) return printLine('No accounts: people make one by signing in.')
  return printLine(textTable(['ACCOUNT', 'SINCE', 'KEYS', 'REQUESTS', 'LICENCES', 'E-MAIL'], found.map(row)))
}

const row = (account: ListedAccount): string[] => [
  String(account.account),
  account.created,
  String(account.keys),
  String(account.open_requests),
  account.licences.join(', ') || '-',
  account.email,
]

async function show(context: CliContext, email: string, json: boolean): Promise<void> {
  const shown = await context.withDatabase(async sql => {
    const account = await findAccount(sql, { email: email.trim().toLowerCase() })
    if (account === null)
      throw new Failure('entity_unknown', `${email} has no account. ./asfiled accounts lists them.`, {
        param: 'email',
      })
    const accountId = account.account
    const keys = await listHeldKeys(sql, accountId)
    const roots = [...new Set(keys.map(key => key.rootKeyId))]
    return {
      ...account,
      key_list: keys.map(({ prefix, name, state, licence, quant, lastUsed }) => ({
        key: prefix,
        name,
        state,
        licence,
        quant,
        last_used: lastUsed,
      })),
      grants: await listGrants(sql, roots),
      requests: await listRequests(sql, { accountId, limit: shownRows }),
      orders: await listOrders(sql, { accountId }, shownRows),
      audit: await listAudit(sql, { accountId }, shownRows),
    }
  })
  if (json) return printLine(JSON.stringify(shown))
  const part = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? `${title}: none` : `${title}\n${textTable(head, rows)}`
  return printLine(
    [
      `${shown.email}, account ${shown.account}, since ${shown.created}`,
      part(
        'Keys',
        ['KEY', 'LICENCE', 'STATE', 'LAST USED', 'NAME'],
        shown.key_list.map(key => [
          key.key,
          licenceTitle(key.licence, key.quant),
          key.state,
          key.last_used ?? 'never',
          key.name ?? '-',
        ]),
      ),
      part(
        'Grants',
        ['GRANT', 'KEY', 'LICENCE', 'STATE', 'FROM', 'EXPIRES'],
        shown.grants.map(grant => [
          String(grant.grant),
          grant.key,
          licenceTitle(grant.licence, grant.quant),
          grant.state,
          grant.starts,
          grant.expires ?? '-',
        ]),
      ),
      part(
        'Requests',
        ['REQUEST', 'LICENCE', 'STATE', 'SENT (UTC)'],
        shown.requests.map(request => [
          String(request.request),
          licenceTitle(request.licence, request.quant),
          request.state,
          request.sent,
        ]),
      ),
      part(
        'Orders',
        ['ORDER', 'FORM', 'SIGNED (UTC)', 'KEY', 'LAST DAY'],
        shown.orders.map(order => [
          ...[String(order.orderId), `${order.form} ${order.version}`],
          order.signedAt.slice(0, 16).replace('T', ' '),
          order.keyPrefix,
          order.lastDay,
        ]),
      ),
      part(
        'Acts',
        ['TIME (UTC)', 'BY', 'ACT', 'ABOUT', 'DETAILS'],
        shown.audit.map(entry => [entry.at, entry.actor, entry.act, entry.about || '-', entry.detail]),
      ),
    ].join('\n\n'),
  )
}
