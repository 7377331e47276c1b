const addresses = new WeakMap<Request, string>()

/** Marks a request that this process makes of its own routes for a client at `address`: it counts against that client's limits. The
 * mark is on the object alone, so no header that a client sends can claim it. */
export function forClientAt(address: string, request: Request): Request {
  addresses.set(request, address)
  return request
}

/** The address of the client for whom this process made the request; undefined: it did not. */
export const innerAddress = (request: Request): string | undefined => addresses.get(request)
