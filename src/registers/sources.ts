import { beSource } from './be/source.ts'
import { dkSource } from './dk/source.ts'
import { frSource } from './fr/source.ts'
import { jpSource } from './jp/source.ts'
import { krSource } from './kr/source.ts'
import type { Source } from './network/source.ts'
import { nzSource } from './nz/source.ts'
import { twSource } from './tw/source.ts'
import { usSource } from './us/source.ts'

const all: readonly Source[] = [
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
export const sources: ReadonlyMap<string, Source> = new Map(all.map(one => [one.market, one]))
