import { Failure } from '../../errors.ts'
import type { Sql } from '../../store/database.ts'
import { type RevokedKey, revokeKey as revokeStored } from '../../store/keys/revokeKey.ts'
import { keyPrefix } from './keyText.ts'

/** Long enough not to name a stranger's key by a slip. */
const leastLength = 'asf_live_'.length + 3

/** Revokes the key that a prefix (as `keys list` shows it, or a beginning of it, or the whole key) names. Running
 * servers refuse it at once. */
export async function revokeKey(deps: { sql: Sql }, prefix: string): Promise<RevokedKey> {
  const beginning = keyPrefix(prefix.trim())
  if (!/^asf_(?:live|test)_/.test(beginning) || beginning.length < leastLength) {
    throw new Failure(
      'parameter_invalid',
      `'${beginning}' names no key: a prefix as \`keys list\` shows it is needed, like asf_live_4fT9aB2x.`,
      { param: 'prefix' },
    )
  }
  const found = await revokeStored(deps.sql, beginning)
  if (found.length === 0) {
    throw new Failure('key_unknown', `No key begins with ${beginning}. \`keys list\` shows them all.`, {
      param: 'prefix',
    })
  }
  if (found.length > 1) {
    const prefixes = found.map(key => key.prefix).join(', ')
    throw new Failure(
      'conflict',
      `${beginning} names several keys (${prefixes}). None was revoked; give more of the prefix.`,
      {
        param: 'prefix',
      },
    )
  }
  return found[0]
}
