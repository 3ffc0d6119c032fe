import { type LookupAddress, type LookupOptions, promises } from 'node:dns';

/** Looks up all addresses of a host. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** The system's own lookup. */
export const systemResolve: Resolve = (host) => promises.lookup(host, { all: true });

type LookupDone = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for the connections of an HTTP client. It checks the addresses of the connection itself, so that no
 * second lookup can return others. Not called if the host is an IP address.
 * @param admit throws if one of the host's addresses is not allowed; it gets an empty list if the host has none
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
