import { AppError } from '#server/errors.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

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
 * neither header. The service's own pages have the origin of BASE_URL or of the requested host.
 */
export function isCrossSite(headers: Headers, baseUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
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
