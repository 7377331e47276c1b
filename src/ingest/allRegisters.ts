import type { Source } from './network/source.ts'
import { beRegister } from './registers/be/register.ts'
import { beSource } from './registers/be/source.ts'
import { dkRegister } from './registers/dk/register.ts'
import { dkSource } from './registers/dk/source.ts'
import { frRegister } from './registers/fr/register.ts'
import { frSource } from './registers/fr/source.ts'
import { jpRegister } from './registers/jp/register.ts'
import { jpSource } from './registers/jp/source.ts'
import { krRegister } from './registers/kr/register.ts'
import { krSource } from './registers/kr/source.ts'
import { nzRegister } from './registers/nz/register.ts'
import { nzSource } from './registers/nz/source.ts'
import type { Register } from './registers/registerInterface.ts'
import { twRegister } from './registers/tw/register.ts'
import { twSource } from './registers/tw/source.ts'
import { usRegister } from './registers/us/register.ts'
import { usSource } from './registers/us/source.ts'

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
