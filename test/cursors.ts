import { CursorSigner } from '../src/http/cursor.ts'

/** Signs with the same secret in every run, so that recorded answers have the same cursors. */
export const testCursors = new CursorSigner(new Uint8Array(32).fill(7))
