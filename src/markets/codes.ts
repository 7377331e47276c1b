import { readdirSync } from 'node:fs'

/** The folder of the shipped manifests. */
export const shippedManifests = new URL('../../manifests/', import.meta.url)

/** The codes of the markets that have a manifest, sorted: for what is made before the manifests are read, such as the schemas of tools. */
export const listMarketCodes = (folder: URL | string = shippedManifests): readonly string[] =>
  readdirSync(folder)
    .flatMap(name => /^([a-z]{2})\.yaml$/.exec(name)?.[1]?.toUpperCase() ?? [])
    .sort()
