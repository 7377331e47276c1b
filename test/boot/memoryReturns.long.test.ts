import { expect, test } from 'bun:test'
import { residentMb, runLoad } from '../../bench/memory/load.ts'
import { largeRequests } from '../../bench/memory/requests.ts'
import { withService } from '../../bench/service/server.ts'

/** Above the level before the load. */
const maxMbAbove = 300
const maxSeconds = 60

if (process.env.LONG === undefined) console.log('skipped: the memory after a load runs with LONG=1')

test.skipIf(process.env.LONG === undefined)(
  'within a minute after a load of the largest requests, the memory of the server is near its level before',
  async () => {
    await withService(async service => {
      const key = await service.newKey()
      const requests = largeRequests(0.5)
      const small = requests.filter(({ body }) => body === undefined)
      await runLoad(service, { key, requests: small, clients: 1, rounds: 2 })
      await Bun.sleep(5_000)
      const beforeMb = residentMb(service.pid)
      const { failures, highestMb } = await runLoad(service, { key, requests, clients: 4, rounds: 2 })
      expect(failures).toEqual([])
      // Without this growth there would be nothing to return, and the test would prove nothing.
      expect(highestMb - beforeMb).toBeGreaterThan(1.5 * maxMbAbove)
      let afterMb = Number.POSITIVE_INFINITY
      for (let second = 0; second < maxSeconds && afterMb > beforeMb + maxMbAbove; second++) {
        await Bun.sleep(1_000)
        afterMb = residentMb(service.pid)
      }
      const seen = `${beforeMb.toFixed(0)} MB before, ${highestMb.toFixed(0)} at most, ${afterMb.toFixed(0)} after`
      console.log(seen)
      expect({ isNearBefore: afterMb <= beforeMb + maxMbAbove, seen }).toEqual({ isNearBefore: true, seen })
    })
  },
  900_000,
)
