import { plugin } from 'bun'

/** A preload for openapi-typescript. It needs the compiler API of TypeScript 5, which TypeScript 7 does not have. */
plugin({
  name: 'typescript5',
  setup(build) {
    build.module('typescript', async () => ({
      loader: 'object',
      exports: { default: (await import('typescript5')).default },
    }))
  },
})
