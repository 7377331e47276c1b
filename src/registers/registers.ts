import { be } from './be/register.ts'
import { dk } from './dk/register.ts'
import { fr } from './fr/register.ts'
import { jp } from './jp/register.ts'
import { kr } from './kr/register.ts'
import { nz } from './nz/register.ts'
import type { Register } from './register.ts'
import { tw } from './tw/register.ts'
import { us } from './us/register.ts'

const all: readonly Register[] = [us, jp, kr, tw, fr, be, dk, nz]

/** Every register that can be imported, by market. */
export const registers: ReadonlyMap<string, Register> = new Map(all.map(one => [one.market, one]))

/** The register of a market that has one. */
export function registerOf(market: string): Register {
  const register = registers.get(market)
  if (register === undefined) throw new Error(`There is no register of market ${market}.`)
  return register
}
