import { licencesFile, thirdPartyLicences } from './licences.ts'

await Bun.write(licencesFile, await thirdPartyLicences())
