import { type LookupAddress, type LookupOptions, promises } from 'node:dns';

/** Returns all addresses of a host. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** The name lookup of the system. */
export const systemResolve: Resolve = (host) => promises.lookup(host, { all: true });

type LookupDone = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Returns a `lookup` function for the connections of an HTTP client. It checks the same addresses to which the client
 * then connects: there is no second lookup that could return others. A client does not call it if the host is an IP
 * address.
 * @param admit throws if one of the host's addresses is not allowed; the list is empty if the host has no address
 */
export function checkedLookup(admit: (host: string, addresses: string[]) => void, resolve = systemResolve) {
  return (host: string, options: LookupOptions, done: LookupDone): void => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        try {
          admit(
            host,
            found.map(({ address }) => address),
          );
          if (!first) throw new Error(`${host} has no address`);
        } catch (error) {
          return done(error as Error, []);
        }
        if (options.all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  };
}
