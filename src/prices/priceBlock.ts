import { ByteReader, ByteWriter } from '../wholeFilings/bytes.ts'
import { emptyPriceRows, type PriceRows } from './priceRows.ts'

const formatVersion = 1
/** A plain block begins with the version of its format, a compressed one with this byte. */
const compressedMark = 0
/** Short blocks do not become smaller. */
const minCompressedBytes = 96
const zstdLevel = 1

/** No block of a year has more: bounds what a damaged block can claim. */
const maxRowsOfBlock = 10_000_000

const knownOnOwnDay = 0
const knownOnOneDay = 1
const knownByRow = 2

const doubles = 0
/** Scaled integers follow, each as its difference to the one before. */
const firstDifference = 1
/** Scaled integers follow as they are. */
const firstPlain = 20
const maxDecimals = 8
const powers = Array.from({ length: maxDecimals + 1 }, (_, exponent) => 10 ** exponent)

/**
 * Encodes rows `start` to `end` as columns: days, known days, imports, closes, volumes, and lists of the few rows with
 * splits, dividends or delistings. Lossless: `decodePriceBlock` returns equal columns.
 */
export function encodePriceBlock(rows: PriceRows, start: number, end: number): Uint8Array {
  const block = new ByteWriter(64 + (end - start) * 12)
  block.number(formatVersion)
  block.number(end - start)
  writeDays(block, rows.days, start, end)
  writeKnown(block, rows, start, end)
  writeImports(block, rows.imports, start, end)
  writeNumbers(block, rows.closes, start, end, true)
  writeNumbers(block, rows.volumes, start, end, false)
  writeSparse(block, rows.splitFactors, start, end, 1)
  writeSparse(block, rows.dividends, start, end, 0)
  writeSparse(block, rows.delistingReturns, start, end, Number.NaN)
  const plain = block.view()
  if (plain.length < minCompressedBytes) return plain.slice()
  const packed = Bun.zstdCompressSync(plain as Uint8Array<ArrayBuffer>, { level: zstdLevel })
  if (packed.length + 1 >= plain.length) return plain.slice()
  const marked = new Uint8Array(packed.length + 1)
  marked[0] = compressedMark
  marked.set(packed, 1)
  return marked
}

/** Throws if the block is damaged. */
export function decodePriceBlock(bytes: Uint8Array): PriceRows {
  const { from, count } = openBlock(bytes)
  const rows = emptyPriceRows(count)
  readDays(from, rows.days)
  readKnown(from, rows)
  readImports(from, rows.imports)
  readNumbers(from, rows.closes)
  readNumbers(from, rows.volumes)
  readSparse(from, rows.splitFactors)
  readSparse(from, rows.dividends)
  readSparse(from, rows.delistingReturns)
  return rows
}

/** The columns that valuations read. */
export type ClosesAndSplits = Pick<PriceRows, 'days' | 'knownDays' | 'imports' | 'splitFactors'> & {
  /** Null: the whole block precedes the first day whose close is wanted. */
  readonly closes: Float64Array | null
}

/** Decodes no more of a block than valuations need. Throws if the block is damaged. */
export function decodeClosesAndSplits(bytes: Uint8Array, firstCloseDay: number): ClosesAndSplits {
  const { from, count } = openBlock(bytes)
  const days = new Int32Array(count)
  const knownDays = new Int32Array(count)
  const imports = new Int32Array(count)
  const splitFactors = new Float64Array(count).fill(1)
  readDays(from, days)
  readKnown(from, { days, knownDays })
  readImports(from, imports)
  const closes = count > 0 && days[count - 1] >= firstCloseDay ? new Float64Array(count) : null
  if (closes === null) skipNumbers(from, count)
  else readNumbers(from, closes)
  skipNumbers(from, count)
  readSparse(from, splitFactors)
  return { days, knownDays, imports, closes, splitFactors }
}

function openBlock(bytes: Uint8Array): { readonly from: ByteReader; readonly count: number } {
  const isCompressed = bytes[0] === compressedMark
  const plain = isCompressed ? Bun.zstdDecompressSync(Buffer.from(bytes.subarray(1))) : bytes
  const from = new ByteReader(plain)
  const version = from.number()
  if (version !== formatVersion) throw new Error(`a block of prices has the unknown format ${version}`)
  const count = from.number()
  if (count > Math.min(maxRowsOfBlock, plain.length)) throw new Error('a block of prices has a damaged count')
  return { from, count }
}

function writeDays(block: ByteWriter, days: Int32Array, start: number, end: number): void {
  block.signed(days[start])
  for (let at = start + 1; at < end; at++) block.number(days[at] - days[at - 1])
}

function readDays(from: ByteReader, days: Int32Array): void {
  let day = 0
  for (let at = 0; at < days.length; at++) {
    day = at === 0 ? from.signed() : day + from.number()
    days[at] = day
  }
}

function writeKnown(block: ByteWriter, { days, knownDays }: PriceRows, start: number, end: number): void {
  let isOwnDay = true
  let isOneDay = true
  for (let at = start; at < end; at++) {
    if (knownDays[at] !== days[at]) isOwnDay = false
    if (knownDays[at] !== knownDays[start]) isOneDay = false
  }
  block.number(isOwnDay ? knownOnOwnDay : isOneDay ? knownOnOneDay : knownByRow)
  if (isOwnDay) return
  if (isOneDay) block.signed(knownDays[start])
  else for (let at = start; at < end; at++) block.number(knownDays[at] - days[at])
}

function readKnown(from: ByteReader, { days, knownDays }: Pick<PriceRows, 'days' | 'knownDays'>): void {
  const kind = from.number()
  if (kind === knownOnOwnDay) knownDays.set(days)
  else if (kind === knownOnOneDay) knownDays.fill(from.signed())
  else if (kind === knownByRow)
    for (let at = 0; at < days.length; at++) knownDays[at] = days[at] + from.number()
  else throw new Error(`a block of prices has the unknown rule ${kind}`)
}

/** As runs of rows of one import. */
function writeImports(block: ByteWriter, imports: Int32Array, start: number, end: number): void {
  for (let at = start; at < end; ) {
    const of = imports[at]
    let run = at + 1
    while (run < end && imports[run] === of) run++
    block.number(of)
    block.number(run - at)
    at = run
  }
}

function readImports(from: ByteReader, imports: Int32Array): void {
  for (let at = 0; at < imports.length; ) {
    const of = from.number()
    const run = from.number()
    if (run === 0 || run > imports.length - at) throw new Error('a block of prices has a damaged run')
    imports.fill(of, at, at + run)
    at += run
  }
}

/** The fewest decimals with which every value is an exact integer; -1 if there are none. */
function decimalsOf(values: Float64Array, start: number, end: number): number {
  let decimals = 0
  for (let at = start; at < end; at++) {
    const value = values[at]
    if (Number.isNaN(value)) continue
    if (value < 0 || Object.is(value, -0)) return -1
    while (decimals <= maxDecimals) {
      const scaled = Math.round(value * powers[decimals])
      if (scaled > 2 ** 50) return -1
      if (scaled / powers[decimals] === value) break
      decimals++
    }
    if (decimals > maxDecimals) return -1
  }
  // Values that were exact with fewer decimals than a later one may not be with more.
  const power = powers[decimals]
  for (let at = start; at < end; at++) {
    const value = values[at]
    if (!Number.isNaN(value) && (Math.round(value * power) / power !== value || value * power > 2 ** 50))
      return -1
  }
  return decimals
}

const missing = 0

/** The mode, then the numbers: missing ones as 0 and others one higher, or differences of these. */
function writeNumbers(
  block: ByteWriter,
  values: Float64Array,
  start: number,
  end: number,
  asDifferences: boolean,
): void {
  const decimals = decimalsOf(values, start, end)
  if (decimals === -1) {
    block.number(doubles)
    block.bytes(new Uint8Array(values.slice(start, end).buffer))
    return
  }
  const power = powers[decimals]
  block.number((asDifferences ? firstDifference : firstPlain) + decimals)
  let before = 0
  for (let at = start; at < end; at++) {
    const value = values[at]
    const coded = Number.isNaN(value) ? missing : Math.round(value * power) + 1
    if (asDifferences) block.signed(coded - before)
    else block.number(coded)
    before = coded
  }
}

function readNumbers(from: ByteReader, values: Float64Array): void {
  const mode = from.number()
  if (mode === doubles) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    for (let at = 0; at < bytes.length; at++) bytes[at] = from.byte()
    return
  }
  const areDifferences = mode < firstPlain
  const power = powers[mode - (areDifferences ? firstDifference : firstPlain)]
  if (power === undefined) throw new Error(`a block of prices has the unknown mode ${mode}`)
  let coded = 0
  for (let at = 0; at < values.length; at++) {
    coded = areDifferences ? coded + from.signed() : from.number()
    values[at] = coded === missing ? Number.NaN : (coded - 1) / power
  }
}

function skipNumbers(from: ByteReader, count: number): void {
  if (from.number() === doubles) from.moveTo(from.at + 8 * count)
  else from.skipNumbers(count)
}

function writeSparse(
  block: ByteWriter,
  values: Float64Array,
  start: number,
  end: number,
  usual: number,
): void {
  let count = 0
  for (let at = start; at < end; at++) if (!Object.is(values[at], usual)) count++
  block.number(count)
  let before = start
  for (let at = start; count > 0 && at < end; at++) {
    if (Object.is(values[at], usual)) continue
    block.number(at - before)
    block.bytes(new Uint8Array(new Float64Array([values[at]]).buffer))
    before = at
  }
}

function readSparse(from: ByteReader, values: Float64Array): void {
  const count = from.number()
  const bytes = new Uint8Array(8)
  const double = new Float64Array(bytes.buffer)
  let at = 0
  for (let read = 0; read < count; read++) {
    at += from.number()
    for (let index = 0; index < 8; index++) bytes[index] = from.byte()
    if (at >= values.length) throw new Error('a block of prices has a damaged list')
    values[at] = double[0]
  }
}
