import { constants, setPriority } from 'node:os'

/** Has the system prefer others: beside an import the server answers as it does without. Some systems refuse; then it is as
 * it was. To be called when the database is open: one that is started by it would give way, too. */
export function giveWay(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    return
  }
}
