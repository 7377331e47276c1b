import { resolve } from 'node:path'
import { nonEmpty } from '../nonEmpty.ts'

const root = resolve(import.meta.dir, '../..')

/** A fenced block of a document, and the block right after it that shows its result. */
export interface Block {
  readonly document: string
  readonly line: number
  readonly language: string
  readonly text: string
  readonly shown: { readonly language: string; readonly text: string } | null
}

/** Documents whose examples a test runs: the README and the guides. */
export async function documents(): Promise<string[]> {
  const guides = await Array.fromAsync(new Bun.Glob('docs/*.md').scan(root))
  return ['README.md', ...[...nonEmpty(guides)].sort()]
}

export async function blocksOf(document: string): Promise<Block[]> {
  const text = await Bun.file(resolve(root, document)).text()
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  return fences.map((fence, place) => {
    const next = fences[place + 1]
    const gap = next === undefined ? 'x' : text.slice(fence.index + fence[0].length, next.index)
    return {
      document,
      line: text.slice(0, fence.index).split('\n').length + 1,
      language: fence[1],
      text: fence[2],
      shown: gap.trim() === '' ? { language: next[1], text: next[2] } : null,
    }
  })
}
