import { isIP, isIPv4, isIPv6 } from 'node:net';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Maximum characters of an entry; an IPv6 address with zone and port has fewer. */
const maxEntryLength = 100;

/**
 * Returns the client's address: the socket's address or, behind `trustProxy` trusted proxies, the entry at position
 * `trustProxy`, counted from the right, in X-Forwarded-For. Clients can forge entries further left. If the entry is
 * not an IP address, the socket's address is used.
 */
export function clientAddress(headers: Headers, socketAddress: string, trustProxy: number): string {
  const forwarded = headers['x-forwarded-for'];
  if (trustProxy === 0 || forwarded === undefined) return socketAddress;
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return addressIn(entryFromRight(list, trustProxy)) ?? socketAddress;
}

/**
 * Returns the entry at position `place` of a comma-separated list, counted from the right; 1 is the last entry. Empty
 * if the list is shorter.
 */
function entryFromRight(list: string, place: number): string {
  let end = list.length;
  for (let passed = 1; passed < place; passed++) {
    if (end <= 0) return '';
    end = list.lastIndexOf(',', end - 1);
  }
  return end <= 0 ? '' : list.slice(list.lastIndexOf(',', end - 1) + 1, end).trim();
}

/** Returns the address in `a`, `a:port`, `[a]` or `[a]:port`; undefined for other texts. */
function addressIn(entry: string): string | undefined {
  if (entry.length > maxEntryLength) return undefined;
  const [, bracketed, beforePort] = /^\[([^[\]]+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(entry) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : undefined;
  const address = beforePort ?? entry;
  return isIP(address) ? address : undefined;
}

/**
 * Returns the key of an address for rate limits. For IPv4, the key is the address. For IPv6, the key is the /64
 * network, because one host owns a whole /64. All spellings of one address give the same key.
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
 * Returns the key of an address for memory and connection limits: like `rateLimitSubject`, but for IPv6 the key is
 * the /56 network. A client with a /48 has 65,536 networks of /64, but only 256 of /56.
 */
export function networkOf(address: string): string {
  const subject = rateLimitSubject(address);
  if (!subject.endsWith('::/64')) return subject;
  const groups = ipv6Groups(subject.slice(0, -'/64'.length));
  const network = [...groups.slice(0, 3), (groups[3] as number) & 0xff00].map((group) => group.toString(16));
  return `${network.join(':')}::/56`;
}

/** Returns the /48 network of an IPv6 address, which one site owns; null for IPv4. */
export function siteOf(address: string): string | null {
  const subject = rateLimitSubject(address);
  if (!subject.endsWith('::/64')) return null;
  const groups = ipv6Groups(subject.slice(0, -'/64'.length)).slice(0, 3);
  return `${groups.map((group) => group.toString(16)).join(':')}::/48`;
}

/** Returns the key of an address for limits in which one site counts as one client: for IPv6, the /48 network. */
export function siteSubject(address: string): string {
  return siteOf(address) ?? rateLimitSubject(address);
}

/** Returns the network of an address, so coarse that it names no person: the /24 of IPv4 or the /48 of IPv6. */
export function coarseNetwork(address: string): string | null {
  const subject = rateLimitSubject(address);
  if (!isIPv4(subject)) return siteOf(address);
  return `${subject.slice(0, subject.lastIndexOf('.'))}.0/24`;
}

/** Returns the eight 16-bit numbers of a valid IPv6 address. */
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
