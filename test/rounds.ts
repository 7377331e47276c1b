/** Whether tests run in full, as .ci/long runs the files that import this or read LONG. */
export const isLong = process.env.LONG !== undefined

/** How often something is tried: `inCi` times for each change of the code, `whole` times by .ci/long. Also the minimum
 * of interesting cases that so many rounds must meet; 0 in CI means that at least one is met (`toBeGreaterThan(0)`). */
export const rounds = (inCi: number, whole: number): number => (isLong ? whole : inCi)
