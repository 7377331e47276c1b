import statistics from './nameStatistics.json'

/** Frequencies of the words in real names, and of the number of words in a name. */
interface Vocabulary {
  readonly words: readonly string[]
  readonly counts: readonly number[]
  readonly lengths: readonly number[]
  readonly lengthCounts: readonly number[]
}

/** By market. Words of Chinese, Japanese and Korean names are pairs of characters. There is no list of Danish names, so
 * Denmark uses those of Belgium. */
const vocabularies: Readonly<Record<string, Vocabulary>> = { ...statistics, DK: statistics.BE }
const unspaced = new Set(['TW', 'JP', 'KR'])

/** Generates a name with the statistics of the market's real names. */
export function makeName(market: string, legalForms: readonly string[], random: () => number): string {
  const { words, counts, lengths, lengthCounts } = vocabularies[market]
  const parts: string[] = []
  for (let left = lengths[pick(lengthCounts, random)]; left > 0; left--)
    parts.push(words[pick(counts, random)])
  if (legalForms.length > 0) parts.push(legalForms[Math.floor(random() * legalForms.length)])
  return parts.join(unspaced.has(market) ? '' : ' ').trim()
}

const runningSums = new WeakMap<readonly number[], Float64Array>()

/** A random index, weighted by the counts. */
function pick(counts: readonly number[], random: () => number): number {
  let running = runningSums.get(counts)
  if (running === undefined) {
    running = new Float64Array(counts.length)
    let sum = 0
    for (const [index, count] of counts.entries()) {
      sum += count
      running[index] = sum
    }
    runningSums.set(counts, running)
  }
  const wanted = random() * running[running.length - 1]
  let low = 0
  let high = running.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (running[middle] <= wanted) low = middle + 1
    else high = middle
  }
  return low
}
