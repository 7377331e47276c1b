import { dirname } from 'node:path'

export type Graph = ReadonlyMap<string, Iterable<string>>

/** Groups of nodes that reach each other, each sorted: Tarjan's strongly connected components of more than one node. */
export function circlesOf(graph: Graph): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  function visit(node: string): void {
    order.set(node, order.size)
    lowest.set(node, order.get(node)!)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!))
    }
    if (lowest.get(node) !== order.get(node)) return
    const circle = stack.splice(stack.indexOf(node))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return found
}

/** Circles among what lies side by side in one folder: its files, and its folders with all that is in them. A folder
 * ends in a slash. Circles of files alone are left to `circlesOf`. */
export function folderCircles(files: Graph): string[][] {
  const folders = new Set<string>()
  for (const path of files.keys())
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  return [...folders, ''].flatMap(folder => {
    const prefix = folder === '' ? '' : `${folder}/`
    const childOf = (path: string) => {
      if (!path.startsWith(prefix)) return null
      const slash = path.indexOf('/', prefix.length)
      return slash < 0 ? path : path.slice(0, slash + 1)
    }
    const children = new Map<string, Set<string>>()
    for (const [path, imports] of files) {
      const child = childOf(path)
      if (child === null) continue
      const targets = children.get(child) ?? new Set<string>()
      children.set(child, targets)
      for (const target of imports) {
        const other = childOf(target)
        if (other !== null && other !== child) targets.add(other)
      }
    }
    return circlesOf(children).filter(circle => circle.some(child => child.endsWith('/')))
  })
}

/** Pairs of folders, each as `a b`, whose direct files import each other in both directions. */
export function mutualFolders(files: Graph): string[] {
  const edges = new Set<string>()
  for (const [path, imports] of files)
    for (const target of imports) edges.add(`${dirname(path)} ${dirname(target)}`)
  return [...edges]
    .filter(edge => {
      const [from, to] = edge.split(' ')
      return from < to && edges.has(`${to} ${from}`)
    })
    .sort()
}
