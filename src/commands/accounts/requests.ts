import { type Command, Option } from 'commander'
import { Failure } from '../../errors.ts'
import { shellOperator } from '../../features/account/auditQueries.ts'
import { findRequest, type LicenceRequest, listRequests } from '../../features/licensing/requestQueries.ts'
import { type DecidedRequest, grantRequest, refuseRequest } from '../../features/licensing/requests.ts'
import { firstDayFrom, grantable, licenceTitle } from '../../features/licensing/terms.ts'
import type { Licence } from '../../rights/licences.ts'
import type { CliContext } from '../context.ts'
import { parsePositiveInteger } from '../options.ts'
import { printLine, textTable } from '../output.ts'
import { orderOf, type TermOptions, withTerms } from './grants.ts'

const defaultLimit = 100

const listHelp = `
Examples:
  ./asfiled requests
  ./asfiled requests list --all --json`

const grantHelp = `
Examples:
  ./asfiled requests grant 7
  ./asfiled requests grant 7 --licence commercial --quant --last 2030-12-31
  ./asfiled requests grant 7 --key asf_live_4fT9aB2x --licence oem --per-minute 10000

Without options, the request is granted as it was sent, with its licence, days and key. If its first day has passed,
the licence starts today.`

const refuseHelp = `
Example:
  ./asfiled requests refuse 7 --reason "Passing data on needs a Redistribution licence."

The account sees the reason at /account/licences.`

/** `requests list`, `requests grant` and `requests refuse`. `requests` alone lists. */
export function addRequestsCommand(program: Command, context: CliContext): void {
  const requests = program
    .command('requests')
    .description('List, grant and refuse requests for licences')
    .addHelpText('after', listHelp)
  const number = '<request>'
  const numberText = 'Number of the request, as `./asfiled requests` shows it'
  requests
    .command('list', { isDefault: true })
    .description('List open requests, the latest first')
    .option('--all', 'Include requests that were decided or withdrawn', false)
    .option('--limit <n>', 'How many', parsePositiveInteger, defaultLimit)
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', listHelp)
    .action((options: ListOptions) => list(context, options))
  withTerms(
    requests
      .command('grant')
      .description('Grant a request')
      .argument(number, numberText, parsePositiveInteger)
      .addOption(
        new Option('--licence <licence>', 'A different licence from the one requested').choices(grantable),
      )
      .option('--key <prefix>', 'A different key of the account, by its prefix, or new for a new key'),
  )
    .addHelpText('after', grantHelp)
    .action((request: number, options: GrantOptions) => grant(context, request, options))
  requests
    .command('refuse')
    .description('Refuse a request, with a reason')
    .argument(number, numberText, parsePositiveInteger)
    .requiredOption('--reason <text>', 'What the account sees')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', refuseHelp)
    .action(async (request: number, { reason, json }: { reason: string; json: boolean }) =>
      print(
        await context.withDatabase(sql =>
          refuseRequest({ sql, settings: context.config }, shellOperator, request, reason.trim()),
        ),
        json,
      ),
    )
}

interface ListOptions {
  readonly all: boolean
  readonly limit: number
  readonly json: boolean
}

async function list(context: CliContext, { all, limit, json }: ListOptions): Promise<void> {
  const found = await context.withDatabase(sql =>
    listRequests(sql, { limit, ...(all ? {} : { state: 'open' }) }),
  )
  if (json) return printLine(JSON.stringify(found))
  if (found.length === 0) return printLine(all ? 'No requests.' : 'No open requests.')
  return printLine(
    textTable(
      ['REQUEST', 'LICENCE', 'STATE', 'FROM', 'TO', 'KEY', 'SENT (UTC)', 'E-MAIL', 'COMPANY', 'FOR'],
      found.map(row),
    ),
  )
}

const row = (request: LicenceRequest): string[] => [
  String(request.request),
  licenceTitle(request.licence, request.quant),
  request.state,
  request.starts,
  request.expires ?? '-',
  request.key ?? 'new',
  request.sent,
  request.email,
  request.company,
  request.purpose,
]

interface GrantOptions extends Omit<TermOptions, 'licence'> {
  readonly licence?: Licence
  readonly key?: string
  readonly json: boolean
}

async function grant(context: CliContext, number: number, options: GrantOptions): Promise<void> {
  const today = context.today()
  const decided = await context.withDatabase(async sql => {
    const request = await findRequest(sql, number)
    if (request === null)
      throw new Failure('entity_unknown', `There is no request ${number}. See: ./asfiled requests`, {
        param: 'request',
      })
    const licence = options.licence ?? request.licence
    if (!isLicence(licence))
      throw new Failure(
        'parameter_invalid',
        'The request is only for the quant plan. Name the licence to grant with it: --licence free, or the licence of the key.',
        { param: 'licence' },
      )
    const order = orderOf(
      {
        first: firstDayFrom(request.starts, today),
        ...(request.expires === null ? {} : { last: request.expires }),
        ...options,
        licence,
        quant: options.quant || request.quant,
      },
      today,
    )
    const to = options.key ?? request.key ?? 'new'
    return grantRequest(
      { sql, today: context.today, settings: context.config },
      shellOperator,
      number,
      to,
      order,
    )
  })
  await print(decided, options.json)
}

const isLicence = (text: string | null): text is Licence => grantable.some(licence => licence === text)

function print(decided: DecidedRequest, json: boolean): Promise<void> {
  const { request, email, state, key, changed } = decided
  const text = `Request ${request} of ${email} is ${state}${key === null ? '' : ` on ${key}`}${changed ? '' : ', as before'}.`
  return printLine(json ? JSON.stringify(decided) : text)
}
