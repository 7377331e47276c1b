import { columnEnvelope } from './columnEnvelope.ts'
import type { Frame } from './frame.ts'
import { at } from './sizes.ts'

export function linePath({ x, y }: Frame): string {
  let path = ''
  let isDrawing = false
  for (const i of columnEnvelope(x, y)) {
    const exists = !Number.isNaN(y[i])
    if (exists) path += `${isDrawing ? 'L' : 'M'}${at(x[i])} ${at(y[i])}`
    isDrawing = exists
  }
  return path
}

/** The area between the line and a base. */
export function fillPath({ x, y }: Frame, base: number): string {
  let path = ''
  let last = -1
  const close = () => {
    if (last >= 0) path += `L${at(x[last])} ${at(base)}Z`
    last = -1
  }
  for (const i of columnEnvelope(x, y)) {
    if (Number.isNaN(y[i])) {
      close()
      continue
    }
    if (last < 0) path += `M${at(x[i])} ${at(base)}`
    path += `L${at(x[i])} ${at(y[i])}`
    last = i
  }
  close()
  return path
}
