import type { Command } from 'commander'
import { Failure } from '../../errors.ts'
import { checkChain, findOrder, type ListedOrder, listOrders } from '../../features/orders/orderQueries.ts'
import { type CliContext, exitCodes } from '../context.ts'
import { parsePositiveInteger } from '../options.ts'
import { printLine, textTable } from '../output.ts'

const defaultLimit = 100
const maxShownBreaks = 50

const verifyHelp = `Each order holds the SHA-256 of the one before it, the audit log holds that of every order, and the end of the chain
is recorded. Any changed document or field, and any order that was removed or inserted, is reported, and the exit code
is 1.

Whoever can write to the database can also add an order at the end or write a whole new chain. To detect a new chain,
note the last SHA-256 elsewhere from time to time and pass it to --contains: it must still be in the chain. Signers
have those of their own orders by e-mail.

Examples:
  ./asfiled orders verify
  ./asfiled orders verify --contains 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`

/** `orders list`, `orders show` and `orders verify`. */
export function addOrdersCommand(program: Command, context: CliContext): void {
  const orders = program
    .command('orders')
    .description('Show and check the order forms that people have signed')
  orders
    .command('list')
    .description('List signed orders, the latest first')
    .option('--limit <n>', 'How many orders', parsePositiveInteger, defaultLimit)
    .option('--json', 'Print a JSON array', false)
    .addHelpText('after', '\nExample:\n  ./asfiled orders list')
    .action((options: { limit: number; json: boolean }) => list(context, options))
  orders
    .command('show')
    .description('Show one order with the proof of its signature')
    .argument('<order>', 'Number shown by `./asfiled orders list`', parsePositiveInteger)
    .option('--document', 'Print the signed document instead, byte for byte', false)
    .option('--json', 'Print one JSON object', false)
    .addHelpText(
      'after',
      '\nExamples:\n  ./asfiled orders show 3\n  ./asfiled orders show 3 --document > order-3.html',
    )
    .action((order: number, options: { document: boolean; json: boolean }) => show(context, order, options))
  orders
    .command('verify')
    .description('Check that no signed order was changed, removed or replaced')
    .option('--contains <sha256>', 'A SHA-256 noted earlier, which must still be in the chain')
    .addHelpText('after', verifyHelp)
    .action((options: { contains?: string }) => verify(context, options.contains ?? null))
}

async function list(context: CliContext, { limit, json }: { limit: number; json: boolean }): Promise<void> {
  const found = await context.withDatabase(sql => listOrders(sql, null, limit))
  if (json) return printLine(JSON.stringify(found))
  if (found.length === 0) return printLine('No orders yet. People sign them at /account/evaluation.')
  const rows = found.map(order => [
    String(order.orderId),
    order.signedAt.slice(0, 19).replace('T', ' '),
    `${order.form} ${order.version}`,
    order.email,
    order.keyPrefix,
    order.lastDay,
    order.company,
  ])
  return printLine(textTable(['ORDER', 'SIGNED (UTC)', 'FORM', 'BY', 'KEY', 'LAST DAY', 'COMPANY'], rows))
}

async function show(
  context: CliContext,
  orderId: number,
  options: { document: boolean; json: boolean },
): Promise<void> {
  const found = await context.withDatabase(sql => findOrder(sql, orderId, null))
  if (found === null)
    throw new Failure(
      'entity_unknown',
      `There is no order ${orderId}. \`./asfiled orders list\` shows all.`,
      {
        param: 'order',
      },
    )
  const { document, ...order } = found
  if (options.document) {
    await Bun.write(Bun.stdout, document)
    return
  }
  await printLine(options.json ? JSON.stringify(order) : describe(order))
}

const describe = (order: ListedOrder) => `Order ${order.orderId}: ${order.form}, version ${order.version}
Signed by       ${order.signerName}, ${order.signerTitle}
Company         ${order.company}
E-mail          ${order.email} (domain ${order.domain})
Signed at       ${order.signedAt}, from ${order.address}
Browser         ${order.agent}
Address proved  ${order.provedAt}, sign-in ${order.sessionId} from ${order.provedAddress}
                ${order.provedAgent}
Agreed          ${order.consent}
Key             ${order.keyPrefix}..., grant ${order.grantId}, until the end of ${order.lastDay} (UTC)
Document        sha256 ${order.documentSha256}
Record          sha256 ${order.digest}
Record before   sha256 ${order.previous}`

async function verify(context: CliContext, contains: string | null): Promise<void> {
  const check = await context.withDatabase(checkChain)
  const breaks = [...check.breaks]
  if (contains !== null && !check.digests.has(contains.trim().toLowerCase()))
    breaks.push(`No order has the SHA-256 ${contains.trim()}.`)
  if (breaks.length > 0) {
    for (const line of breaks.slice(0, maxShownBreaks)) await printLine(line)
    if (breaks.length > maxShownBreaks) await printLine(`... and ${breaks.length - maxShownBreaks} more.`)
    process.exitCode = exitCodes.failed
    return
  }
  const { orderId, digest } = check.head
  await printLine(
    check.count === 0
      ? 'No orders yet.'
      : `${check.count} ${check.count === 1 ? 'order' : 'orders'}, nothing changed. The last one is ${orderId}, sha256 ${digest}`,
  )
}
