import { FileFault } from '../parquet/faults.ts'

/** @param what the part of the stream that contradicts itself */
export const arrowDamage = (what: string) => new FileFault(`it is damaged: ${what}; write it again`)

export const arrowDamaged = 'it is damaged, or of a kind that is not supported; write it again'
