import type { Command } from 'commander'
import { describeDatabase } from '../../boot/database.ts'
import { openUntouched, type UntouchedDatabase } from '../../boot/untouchedDatabase.ts'
import { describeFailure } from '../../ingest/sync/outcome.ts'
import type { Finding } from '../../postgres/integrity/damageQueries.ts'
import { damageRemedy, damageSentence } from '../../postgres/integrity/damageSentence.ts'
import { beginPass } from '../../postgres/integrity/passQueries.ts'
import { isUnrecordable } from '../../postgres/integrity/passRecord.ts'
import { type Repair, repair } from '../../postgres/integrity/repair.ts'
import { type PassResult, runPass } from '../../postgres/integrity/runPass.ts'
import { abortOnSignal, type CliContext, exitCodes } from '../context.ts'
import { parseNumber } from '../options.ts'
import { grouped, printLine, startProgress, wrapText } from '../output.ts'
import { size } from './statusScreen.ts'

const help = `Reads every page of the database and compares its checksum, then checks the structure of tables and indexes with the
extension amcheck. Servers do the same slowly in the background (PAGE_CHECK_MB_PER_SECOND). This command does it now
and can run at the same time. It records its findings in the database, where ./asfiled status, /ready and the metrics
show them, and clears earlier findings that it no longer sees. For an embedded database it reads the files. For any
other PostgreSQL it does what the role of DATABASE_URL allows and names what it could not check: docs/operations.md
lists the grants that it needs.

Exit code: 0 nothing is damaged; 1 something is damaged, or the check did not finish; 2 wrong usage.

Examples:
  ./asfiled verify
  ./asfiled verify --rate 20 --json | jq .damage
  ./asfiled verify --repair`

interface VerifyFlags {
  readonly json?: true
  readonly rate?: number
  readonly thorough?: true
  readonly repair?: true
}

/** `verify`: reads and checks the whole database now. */
export function addVerifyCommand(program: Command, context: CliContext): void {
  program
    .command('verify')
    .description('Read and check every page of the database, its tables and its indexes')
    .option('--rate <MB/s>', 'Read at most this fast (default: no limit)', parseNumber)
    .option('--thorough', 'Also look for each row in its indexes, which reads each table once per index')
    .option('--repair', 'Rebuild damaged indexes of intact tables, then check again')
    .option('--json', 'Print one JSON object')
    .addHelpText('after', help)
    .action(async (flags: VerifyFlags) => {
      process.exitCode = await verify(context, flags)
    })
}

const noTimeLimit = 0

async function verify({ config }: CliContext, flags: VerifyFlags): Promise<number> {
  const signal = abortOnSignal(() => 'Stopping; what was found so far is noted.')
  const database = await openUntouched(config, noTimeLimit, line => console.error(line))
  console.error(describeDatabase(config))
  try {
    let result = await check(database, flags, signal)
    const repairs =
      flags.repair && result.ended === 'complete' ? await repair(database.sql, result.findings) : []
    if (repairs.some(({ failure }) => failure === null)) result = await check(database, flags, signal)
    const isEmbedded = config.databaseUrl === null
    const text = flags.json
      ? JSON.stringify(verifyObject(result, repairs, isEmbedded), null, 2)
      : verifyScreen(result, repairs, isEmbedded)
    await printLine(text)
    return result.ended === 'complete' && result.findings.length === 0 ? exitCodes.done : exitCodes.failed
  } finally {
    await database.close()
  }
}

async function check(
  { sql, folder }: UntouchedDatabase,
  { rate, thorough }: VerifyFlags,
  signal: AbortSignal,
): Promise<PassResult> {
  const holder = crypto.randomUUID()
  const pass = await beginPass(sql, holder, true).catch(error => {
    if (!isUnrecordable(error)) throw error
    console.error(`The result will not be noted in the database: ${describeFailure(error)}`)
    return null
  })
  const progress = startProgress('Checking')
  try {
    return await runPass({
      sql,
      folder,
      pass,
      holder,
      signal,
      hasStructure: true,
      maxIndexBytes: null,
      bytesPerSecond: rate === undefined || rate <= 0 ? null : rate * 1e6,
      isThorough: thorough === true,
      elapsedMs: () => performance.now(),
      // The final report lists all findings.
      report: () => {},
      onProgress: ({ phase, pages, totalPages, findings }) =>
        progress.update({
          done: Math.min(pages, totalPages),
          total: totalPages,
          note: `${phase}, ${grouped(pages)} of ${grouped(totalPages)} read, ${findings} findings`,
        }),
    })
  } finally {
    progress.stop()
  }
}

const width = 100

function verifyScreen(result: PassResult, repairs: readonly Repair[], isEmbedded: boolean): string {
  const { ended, findings, pages, bytes, unchecked, description, hasChecksums } = result
  const lines = [
    wrapText(
      `${grouped(pages)} pages (${size(bytes)}) were ${description}; checksums are ${hasChecksums ? 'on' : 'off'}.`,
      width,
    ),
  ]
  if (unchecked.length > 0) {
    lines.push('', 'Not checked:')
    for (const sentence of unchecked) lines.push(wrapText(`- ${sentence}`, width, '  '))
  }
  if (repairs.length > 0) {
    lines.push('', 'Repaired:')
    for (const { finding, failure } of repairs)
      lines.push(
        wrapText(`- ${finding.name}: ${failure === null ? 'done.' : `failed. ${failure}`}`, width, '  '),
      )
  }
  lines.push('')
  if (ended !== 'complete') lines.push('Stopped: the database was not checked as a whole.')
  else if (findings.length === 0) lines.push('Nothing is damaged.')
  else {
    lines.push(`Damaged (${findings.length}):`)
    for (const finding of findings) {
      lines.push(wrapText(`- ${damageSentence(finding)}`, width, '  '))
      lines.push(wrapText(`  ${damageRemedy(finding, isEmbedded)}`, width, '  ').replace(/^ */, '  '))
    }
  }
  return lines.join('\n')
}

function verifyObject(result: PassResult, repairs: readonly Repair[], isEmbedded: boolean) {
  const { ended, findings, pages, bytes, unchecked, description, hasChecksums, isRecorded } = result
  return {
    object: 'verification',
    complete: ended === 'complete',
    damaged: findings.length > 0,
    pages,
    bytes,
    read: description,
    checksums: hasChecksums,
    noted: isRecorded,
    unchecked,
    repairs: repairs.map(({ finding, failure }) => ({ name: finding.name, done: failure === null, failure })),
    damage: findings.map(finding => damageObject(finding, isEmbedded)),
  }
}

/** A finding for programs. */
export const damageObject = (finding: Finding, isEmbedded: boolean) => ({
  name: finding.name,
  kind: finding.kind,
  is_catalog: finding.isCatalog,
  of_table: finding.ofTable,
  fork: finding.fork,
  found_by: finding.foundBy,
  first_block: finding.firstBlock,
  last_block: finding.lastBlock,
  damaged_blocks: finding.blocks,
  detail: finding.detail,
  mend: damageRemedy(finding, isEmbedded),
})
