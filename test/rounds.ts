/** Whether tests run in full, as .ci/long runs the files that import this or read LONG. */
export const isLong = process.env.LONG !== undefined

/** How often something random is tried. Each change to the code is attacked `inCi` times, in a third of the time or less; .ci/long takes
 * all of them. Also for the least number of interesting cases that so many rounds have to meet. */
export const rounds = (inCi: number, whole: number): number => (isLong ? whole : inCi)
