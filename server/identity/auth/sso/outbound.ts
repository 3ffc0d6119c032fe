import { isIP } from 'node:net';
import type { CustomFetch } from 'openid-client';
import type { Agent } from 'undici';
import {
  type AddressRange,
  checkedLookup,
  hostOf,
  isLoopbackHost,
  type Resolve,
  rangeOf,
} from '#server/platform/outbound/checked-lookup.ts';
import { SettingsError } from '#server/settings.ts';

/** Maximum bytes of one response after decompression. */
const maximumResponse = 1_000_000;
/**
 * Maximum number of connections to one origin. Further requests wait, and the waiting time counts towards their
 * timeout.
 */
const maximumConnections = 32;

/** Thrown if the provider named a URL or sent data that must not be used. */
export class ProviderRefused extends Error {
  override name = 'ProviderRefused';
}

/** Thrown if the provider cannot be reached, is too slow, or responded with 429 or 5xx. */
export class ProviderUnreachable extends Error {
  override name = 'ProviderUnreachable';
}

export interface OutboundParts {
  resolve?: Resolve;
  /** Maximum milliseconds for one request, from the look-up of the host name to the last byte of the response. */
  timeout?: number;
}

/** HTTP access to the URLs of one provider, with checks. */
interface Outbound {
  /**
   * The `fetch` function for openid-client. Follows no redirects.
   * @throws ProviderRefused, ProviderUnreachable
   */
  fetch: CustomFetch;
  /**
   * Checks a URL as far as this is possible without a DNS look-up.
   * @throws ProviderRefused
   */
  check(address: string): void;
}

/**
 * Checks OIDC_ISSUER: it must be an https URL, or http on a loopback address, without query, fragment or credentials.
 * @throws SettingsError
 */
export function checkIssuer(issuer: string): void {
  const url = new URL(issuer);
  if (url.protocol !== 'https:' && !isLoopbackHost(hostOf(url)))
    throw new SettingsError('OIDC_ISSUER: must start with https://, unless it is on a loopback address');
  if (url.search || url.hash || url.username || url.password)
    throw new SettingsError('OIDC_ISSUER: must not have a query, a fragment or credentials');
  if (url.pathname.includes('/.well-known/'))
    throw new SettingsError('OIDC_ISSUER: must be the issuer, not the URL of its metadata');
}

/**
 * Opens access to the URLs in an issuer's metadata. Each URL must use https, unless it has a loopback address. Its IP
 * addresses must be public, or in the same range as those of the issuer at the first request, which is the discovery.
 * If the issuer's addresses are in several ranges, only public addresses are allowed. Open a new access for each
 * discovery.
 */
export function openOutbound(issuer: string, parts: OutboundParts = {}): Outbound {
  const { resolve, timeout = 10_000 } = parts;
  const issuerHost = hostOf(new URL(issuer));
  /** The range of the issuer's addresses. If the issuer has a host name, it is unknown until the first look-up. */
  let home: ReadonlySet<AddressRange> | undefined = isIP(issuerHost)
    ? new Set([rangeOf(issuerHost)])
    : undefined;

  function admit(host: string, addresses: string[]): void {
    if (addresses.length === 0) throw new ProviderUnreachable(`${host} has no address`);
    const ranges = new Set(addresses.map(rangeOf));
    // An issuer with addresses in two ranges could pass the check with one and give access to the other, so only public
    // addresses are allowed.
    if (host === issuerHost) home ??= ranges.size === 1 ? ranges : new Set();
    for (const range of ranges) {
      if (isLoopbackHost(host) && range !== 'loopback')
        throw new ProviderRefused(`${host} is not a loopback address`);
      if (range !== 'public' && !home?.has(range))
        throw new ProviderRefused(`${host} has a ${range} address, but the issuer has not`);
    }
  }

  function check(address: string): void {
    if (!URL.canParse(address)) throw new ProviderRefused('the URL is not valid');
    const url = new URL(address);
    const host = hostOf(url);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(host)))
      throw new ProviderRefused(`${url.protocol}//${host} is neither https nor http on a loopback address`);
    if (isIP(host)) admit(host, [host]);
  }

  // Connections are not kept alive and HTTP/2 is off, so that every request opens a connection, whose address is
  // checked.
  const connections = {
    pipelining: 0,
    allowH2: false,
    connections: maximumConnections,
    connect: { lookup: checkedLookup(admit, resolve), timeout },
  };
  let dispatcher: Agent | undefined;

  async function fetch(...[address, { body, headers, method }]: Parameters<CustomFetch>): Promise<Response> {
    check(address);
    // Loaded by the first request, because it takes 70 ms and 28 MB.
    const undici = await import('undici');
    dispatcher ??= new undici.Agent(connections);
    // The library sends no body, or a form.
    const form = body instanceof URLSearchParams ? body : null;
    try {
      const response = await undici.fetch(address, {
        method,
        headers,
        body: form,
        redirect: 'manual',
        dispatcher,
        signal: AbortSignal.timeout(timeout),
      });
      if (response.status >= 500 || response.status === 429) {
        await response.body?.cancel();
        throw new ProviderUnreachable(`status ${response.status}`);
      }
      const bytes = await readBounded(response.body);
      return new Response(bytes.length > 0 ? bytes : null, {
        status: response.status,
        headers: [...response.headers],
      });
    } catch (error) {
      throw reasonOf(error, new URL(address).origin);
    }
  }

  return { fetch, check };
}

async function readBounded(body: AsyncIterable<Uint8Array> | null): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maximumResponse)
      throw new ProviderRefused(`the response is larger than ${maximumResponse} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the root cause of undici's error if this service has thrown it. Of other errors, returns only the code or the
 * name.
 */
function reasonOf(thrown: unknown, origin: string): Error {
  let root = thrown;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (root instanceof ProviderRefused || root instanceof ProviderUnreachable) return root;
  const { code, name } = root as { code?: unknown; name?: unknown };
  return new ProviderUnreachable(`${origin}: ${typeof code === 'string' ? code : String(name)}`);
}
