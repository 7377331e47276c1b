import type { Finding } from './damageQueries.ts'

const forkNames = {
  main: '',
  fsm: ' (its map of free space)',
  vm: ' (its map of visible rows)',
  init: ' (its empty copy)',
} as const

/** A sentence about what is damaged: `Index fact_market of fact: 40 of its blocks 5 to 44.` */
export function damageSentence(finding: Finding): string {
  const { kind, name, isCatalog, ofTable, fork } = finding
  const what = {
    table: isCatalog ? `System catalog ${name}` : `Table ${name}`,
    toast: `Long values of ${isCatalog ? 'system catalog' : 'table'} ${ofTable ?? '(unknown)'} (${name})`,
    index: `Index ${name} of ${isCatalog ? 'system catalog ' : ''}${ofTable ?? 'an unknown table'}`,
    sequence: `Sequence ${name}`,
    unknown: `A relation that could not be named`,
  }[kind]
  return `${what}${forkNames[fork]}: ${blocksIn(finding)}`
}

function blocksIn({ foundBy, blocks, firstBlock, lastBlock, detail }: Finding): string {
  if (firstBlock === null || lastBlock === null) return sentence(detail)
  const where = firstBlock === lastBlock ? `block ${firstBlock}` : `blocks ${firstBlock} to ${lastBlock}`
  if (foundBy === 'structure') return `${where}, ${sentence(detail)}`
  if (blocks === null) return `a request could not read ${where}.`
  return blocks === 1 || blocks === lastBlock - firstBlock + 1 ? `${where}.` : `${blocks} of ${where}.`
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

/** How to repair it. */
export function damageRemedy(finding: Finding, isEmbedded: boolean): string {
  const { kind, fork, isCatalog } = finding
  if (isRepairable(finding))
    return fork === 'main'
      ? 'No data is lost: ./asfiled verify --repair rebuilds the index from its table.'
      : 'No data is lost: ./asfiled verify --repair has PostgreSQL write the map anew.'
  const restore = isEmbedded
    ? 'Keep the present DATA_DIR, restore the last backup into a new one (./asfiled restore FILE), check it with ./asfiled verify, and run ./asfiled sync or the imports since then again.'
    : 'Promote a replica that is intact, or restore the last backup of this PostgreSQL; then run ./asfiled verify, and the syncs or imports since then again.'
  if (kind === 'index' && isCatalog) return `Rebuild it as superuser with REINDEX, or restore. ${restore}`
  return restore
}

/** Whether it can be rebuilt from an intact table. */
export const isRepairable = ({ kind, fork, isCatalog, relation }: Finding): boolean =>
  relation !== 0 && !isCatalog && (fork === 'main' ? kind === 'index' : fork === 'fsm' || fork === 'vm')
