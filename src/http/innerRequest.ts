const addresses = new WeakMap<Request, string>()

/** Marks a request that this process makes to its own routes on behalf of a client at `address`, so that it
 * counts against that client's limits. The mark is attached to the object, so no header can forge it. */
export function forClientAt(address: string, request: Request): Request {
  addresses.set(request, address)
  return request
}

/** The address of the client on whose behalf this process made the request; undefined for any other
 * request. */
export const innerAddress = (request: Request): string | undefined => addresses.get(request)
