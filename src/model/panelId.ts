import { Type } from '@sinclair/typebox'

export const PanelId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'The `id` of a stored panel.',
  examples: ['5d0a3a44-6f0b-4a55-9d7e-2f1c80c1a9d3'],
})
