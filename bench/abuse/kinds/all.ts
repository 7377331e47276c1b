import type { AbuseKind } from '../abuse.ts'
import {
  forwardedClaims,
  hostileSearches,
  invalidKeys,
  pageFlood,
  signInCodes,
  wideCrossSections,
} from './floods.ts'
import { demoCrowd, equalJoins, parquetBombs } from './joins.ts'
import { slowReaders, slowTools, slowUploads, unfinishedHeads } from './slow.ts'

/** Every kind of abuse by its name. */
export const kinds = {
  'parquet-bombs': parquetBombs,
  'equal-joins': equalJoins,
  'demo-crowd': demoCrowd,
  'slow-tools': slowTools,
  'slow-uploads': slowUploads,
  'unfinished-heads': unfinishedHeads,
  'slow-readers': slowReaders,
  'invalid-keys': invalidKeys,
  'hostile-searches': hostileSearches,
  'wide-cross-sections': wideCrossSections,
  'page-flood': pageFlood,
  'sign-in-codes': signInCodes,
  'forwarded-claims': forwardedClaims,
} satisfies Record<string, AbuseKind>

export type KindName = keyof typeof kinds

export const isKind = (name: string): name is KindName => Object.hasOwn(kinds, name)
export const kindNames = Object.keys(kinds).filter(isKind)
