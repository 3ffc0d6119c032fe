import { type LookupAddress, type LookupOptions, promises } from 'node:dns';
import { BlockList, isIP } from 'node:net';

export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** The name lookup of the system. */
const systemResolve: Resolve = (host) => promises.lookup(host, { all: true });

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

/** The kind of network to which an address belongs. Only public addresses can be reached from everywhere. */
export type AddressRange = 'public' | 'loopback' | 'private' | 'link_local' | 'reserved';

/** Ranges from IANA's registries of special-purpose addresses. The first range that contains an address applies. */
const subnets: [Exclude<AddressRange, 'public'>, string[]][] = [
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']],
  ['private', ['fc00::/7', 'fec0::/10', '64:ff9b:1::/48']],
  // Includes the addresses of cloud providers' metadata services.
  ['link_local', ['169.254.0.0/16', 'fe80::/10']],
  ['reserved', ['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15']],
  ['reserved', ['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4']],
  ['reserved', ['::/96', '::ffff:0:0:0/96', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16']],
  ['reserved', ['3fff::/20', '5f00::/16', 'ff00::/8']],
];

const blocks = subnets.map(([range, members]) => ({ range, block: blockOf(members) }));

/**
 * Returns a list of the ranges. A BlockList also matches IPv4 addresses that are written as IPv6 (`::ffff:10.0.0.1`).
 * Those behind NAT64 must be added.
 */
function blockOf(members: string[]): BlockList {
  const block = new BlockList();
  for (const member of members) {
    const [network, bits] = member.split('/') as [string, string];
    if (isIP(network) === 6) block.addSubnet(network, Number(bits), 'ipv6');
    else {
      block.addSubnet(network, Number(bits), 'ipv4');
      block.addSubnet(`64:ff9b::${network}`, 96 + Number(bits), 'ipv6');
    }
  }
  return block;
}

/** Returns the range of an IP address, or `reserved` for text that is not an IP address. */
export function rangeOf(address: string): AddressRange {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 0) return 'reserved';
  const found = blocks.find(({ block }) => block.check(bare, family === 4 ? 'ipv4' : 'ipv6'));
  return found?.range ?? 'public';
}

/** Returns the host of a URL in the form that a connection needs: without the brackets around an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Whether a host is this machine, judged by its name (RFC 6761) or its address. */
export function isLoopbackHost(host: string): boolean {
  return isIP(host) ? rangeOf(host) === 'loopback' : /(^|\.)localhost$/.test(host);
}
