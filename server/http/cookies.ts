import { AppError } from '#server/errors.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the name of a cookie, for cookies whose names the specification does not fix. Over https, the name gets a
 * prefix. Browsers accept a cookie with this prefix only from this origin: other subdomains and plain http cannot set
 * it.
 * @param path the cookie's Path; `__Host-` requires `/`
 */
export function prefixedCookie(name: string, secure: boolean, path = '/'): string {
  if (!secure) return name;
  return `${path === '/' ? '__Host-' : '__Secure-'}${name}`;
}

/** Maximum cookies that are read; browsers keep fewer for one site. */
const maxCookies = 1000;

/** Returns a request's cookie by name, as sent; the first if there are several. Null if it is missing or empty. */
export function readCookie({ cookie }: Headers, name: string): string | null {
  const text = Array.isArray(cookie) ? cookie.join(';') : (cookie ?? '');
  for (const pair of text.split(';', maxCookies)) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || null;
  }
  return null;
}

/**
 * Rejects a state-changing request that carries the session cookie and comes from another site's page. @throws
 * AppError 403
 */
export function refuseCrossSiteChange(method: string, headers: Headers, baseUrl: string | undefined): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  if (carriesSessionCookie(headers) && isCrossSite(headers, baseUrl))
    throw new AppError('forbidden', 'cross-site requests are not allowed here');
}

/**
 * Whether Sec-Fetch-Site or Origin shows that another site's page made this request. Clients other than browsers send
 * neither header. Sec-Fetch-Site decides if it is `same-origin`, because no page can set it, while the Origin of a form
 * is `null` under some referrer policies. Browsers send it only to https and to this machine, so Origin still counts: the
 * service's own pages have the origin of BASE_URL or of the requested host.
 */
export function isCrossSite(headers: Headers, baseUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return false;
  if (site !== undefined && site !== 'none') return true;
  const { origin, host } = headers;
  if (typeof origin !== 'string') return false;
  if (baseUrl !== undefined && origin === new URL(baseUrl).origin) return false;
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Whether the request carries the session cookie, valid or not. */
function carriesSessionCookie({ cookie }: Headers): boolean {
  return typeof cookie === 'string' && /(?:^|;\s*)ll_session=/.test(cookie);
}

/** Whether a browser sent the request. Only browsers send Sec-Fetch-Site or Origin. */
export function isFromBrowser(headers: Headers): boolean {
  return headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined;
}
