import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeFigures } from '../../src/wholeFilings/figureBlock.ts'
import { Terms } from '../../src/wholeFilings/terms.ts'

/** Reads the block of a folder in a process of its own, so that its peak of memory is that of the reading. */

const [, , folder] = process.argv
const terms = new Terms(JSON.parse(readFileSync(join(folder, 'terms.json'), 'utf8')))
const block = readFileSync(join(folder, 'block'))
const { figures } = decodeFigures(block, terms)
// The peak that getrusage reports includes the parent's memory at the time of the fork.
const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
console.log(JSON.stringify({ count: figures.length, peakBytes: peak * 1024 }))
