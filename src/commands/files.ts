import { access, constants, stat } from 'node:fs/promises'
import { Failure, reasonOf } from '../errors.ts'

/**
 * Returns the size of a readable file. Throws for a device or a pipe: its size is unknown, and it may have no
 * end.
 *
 * @param required what to give instead, as a sentence
 */
export async function assertReadableFile(path: string, required: string): Promise<number> {
  try {
    const found = await stat(path)
    if (found.isFile()) {
      await access(path, constants.R_OK)
      return found.size
    }
  } catch (error) {
    const reason = isMissing(error) ? 'does not exist' : `cannot be read: ${reasonOf(error)}`
    throw new Failure('parameter_invalid', `${path} ${reason}. ${required}`, { cause: error })
  }
  throw new Failure('parameter_invalid', `${path} is not a file. ${required}`)
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Errors that another path, or other permissions on it, would resolve. */
const pathCodes = /^E(NOENT|NOTDIR|ISDIR|EXIST|ACCES|PERM|ROFS|LOOP|NAMETOOLONG)$/

/**
 * Explains a failed file operation whose caller has no more specific message. Null for any other error, which
 * is a defect.
 */
export function explainFileError(error: unknown): Failure | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null
  const code = String(error.code)
  if (typeof error.path !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return null
  const advice = pathCodes.test(code) ? ' Correct the path or its permissions.' : ''
  return new Failure('internal', `${error.path}: ${reasonOf(error)}.${advice}`, { cause: error })
}
