import { isIP, isIPv4, isIPv6 } from 'node:net';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Characters; longer than an IPv6 address with its zone and a port. */
const longestEntry = 100;

/**
 * Who sent a request (C 2): the socket's address, or, behind `trustProxy` proxies of ours, the address in
 * X-Forwarded-For that many places from the right. What stands further left anybody may have written. Where that place
 * holds no IP address the socket's counts.
 */
export function clientAddress(headers: Headers, socketAddress: string, trustProxy: number): string {
  const forwarded = headers['x-forwarded-for'];
  if (trustProxy === 0 || forwarded === undefined) return socketAddress;
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return addressIn(entryFromRight(list, trustProxy)) ?? socketAddress;
}

/** The entry of a comma-separated list `place` places from the right, 1 the last; empty where there are fewer. */
function entryFromRight(list: string, place: number): string {
  let end = list.length;
  for (let passed = 1; passed < place; passed++) {
    if (end <= 0) return '';
    end = list.lastIndexOf(',', end - 1);
  }
  return end <= 0 ? '' : list.slice(list.lastIndexOf(',', end - 1) + 1, end).trim();
}

/** The address in `a`, `a:port`, `[a]` or `[a]:port`. */
function addressIn(entry: string): string | undefined {
  if (entry.length > longestEntry) return undefined;
  const [, bracketed, beforePort] = /^\[([^[\]]+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(entry) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : undefined;
  const address = beforePort ?? entry;
  return isIP(address) ? address : undefined;
}

/**
 * What an address counts as in a rate limit (C 2): an IPv4 address itself, in whatever form it came; of an IPv6 address
 * its /64, because one host has the whole of it. The same for every way to write one address.
 */
export function rateLimitSubject(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = ipv6Groups(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * Whose memory and connections an address counts to: as in a rate limit, but of an IPv6 address its /56. Who is given a
 * /48 has 65,536 networks of /64, and 256 of these.
 */
export function networkOf(address: string): string {
  const subject = rateLimitSubject(address);
  if (!subject.endsWith('::/64')) return subject;
  const groups = ipv6Groups(subject.slice(0, -'/64'.length));
  const network = [...groups.slice(0, 3), (groups[3] as number) & 0xff00].map((group) => group.toString(16));
  return `${network.join(':')}::/56`;
}

/** The eight 16-bit numbers of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const withoutZone = address.split('%', 1)[0] as string;
  const [left = [], right = []] = withoutZone.split('::').map(groupsIn);
  const zeros = new Array<number>(8 - left.length - right.length).fill(0);
  return [...left, ...zeros, ...right];
}

function groupsIn(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!isIPv4(group)) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function bytesOf(group: number): number[] {
  return [group >> 8, group & 0xff];
}
