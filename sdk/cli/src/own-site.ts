import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** The addresses of a server of this program. */
export interface Site {
  /** The address at which it listens. */
  host: string;
  port: number;
  /** Its URL behind a proxy. */
  publicUrl?: string | undefined;
}

/**
 * Returns why a request is rejected that a page of another site could have sent: a browser sends a form without asking,
 * and reads a response if the page's own name resolves to this machine (DNS rebinding). Undefined for a request of a
 * program, or of a page of this server. It reads only headers, so call it before a credential or the body is read.
 */
export function foreignSite(headers: IncomingHttpHeaders, site: Site): string | undefined {
  const hosts = ownHosts(site);
  const host = headers.host?.toLowerCase();
  if (host === undefined || !(hosts.has(host) || isAddress(host, site)))
    return `the host ${JSON.stringify(host ?? '')} is not a name of this server; with a proxy or a name of your own, use --public-url`;
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, host, hosts))
    return 'requests from pages of other sites are rejected';
  const from = headers['sec-fetch-site'];
  if (from !== undefined && from !== 'same-origin' && from !== 'none')
    return 'requests from pages of other sites are rejected';
  return undefined;
}

function ownHosts({ host, port, publicUrl }: Site): Set<string> {
  const names = [host.includes(':') ? `[${host}]` : host, 'localhost', '127.0.0.1', '[::1]'];
  const hosts = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (publicUrl !== undefined) hosts.push(new URL(publicUrl).host);
  return new Set(hosts.map((name) => name.toLowerCase()));
}

/**
 * Whether a server that listens at all addresses was reached by one of them. An address in place of a name cannot be
 * rebound.
 */
function isAddress(host: string, site: Site): boolean {
  if (site.host !== '0.0.0.0' && site.host !== '::') return false;
  const [, address = ''] = /^\[?(.*?)\]?(?::\d+)?$/.exec(host) ?? [];
  return isIP(address) !== 0;
}

function isOwnOrigin(origin: string, host: string, hosts: ReadonlySet<string>): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && (url.host === host || hosts.has(url.host));
}
