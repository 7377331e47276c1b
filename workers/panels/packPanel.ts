import type { TaskInput, TaskOutput } from '../../src/compute/protocol.ts'
import { packDataset } from '../../src/quant/packDataset.ts'
import { rankDataset } from '../../src/quant/rankDataset.ts'
import { readPanelBody } from '../body/readPanelBody.ts'
import { buildPanel } from '../dataset/buildPanel.ts'

/** Reads rows that are to be stored. */
export function packPanel({ body, format }: TaskInput<'panel_pack'>): TaskOutput<'panel_pack'> {
  const data = buildPanel(readPanelBody(body, format))
  const packed = packDataset(data)
  return { packed, content: sha256(packed), ranking: rankDataset(data).ranking }
}

function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(Bun.SHA256.byteLength)
  Bun.SHA256.hash(bytes, digest)
  return digest
}
