import type { Source } from '../network/source.ts'
import { beRegister } from './be/register.ts'
import { beSource } from './be/source.ts'
import { dkRegister } from './dk/register.ts'
import { dkSource } from './dk/source.ts'
import { frRegister } from './fr/register.ts'
import { frSource } from './fr/source.ts'
import { jpRegister } from './jp/register.ts'
import { jpSource } from './jp/source.ts'
import { krRegister } from './kr/register.ts'
import { krSource } from './kr/source.ts'
import { nzRegister } from './nz/register.ts'
import { nzSource } from './nz/source.ts'
import type { Register } from './registerInterface.ts'
import { twRegister } from './tw/register.ts'
import { twSource } from './tw/source.ts'
import { usRegister } from './us/register.ts'
import { usSource } from './us/source.ts'

const allRegisters: readonly Register[] = [
  usRegister,
  jpRegister,
  krRegister,
  twRegister,
  frRegister,
  beRegister,
  dkRegister,
  nzRegister,
]

/** Every register that can be imported, by market. */
export const registers: ReadonlyMap<string, Register> = new Map(allRegisters.map(one => [one.market, one]))

/** The register of a market; throws if there is none. */
export function registerOf(market: string): Register {
  const register = registers.get(market)
  if (register === undefined) throw new Error(`There is no register for market ${market}.`)
  return register
}

const allSources: readonly Source[] = [
  usSource,
  jpSource,
  krSource,
  twSource,
  frSource,
  beSource,
  dkSource,
  nzSource,
]

/** Every register that can be fetched from, by market. */
export const sources: ReadonlyMap<string, Source> = new Map(allSources.map(one => [one.market, one]))
