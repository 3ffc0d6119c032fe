type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a browser says that the page behind this request is another site's (C 7), by either header. What is no
 * browser sends neither. A page of our own is of BASE_URL's origin, or of the host it asked.
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
export function carriesSessionCookie({ cookie }: Headers): boolean {
  return typeof cookie === 'string' && /(?:^|;\s*)ll_session=/.test(cookie);
}

/** Whether a browser sent the request; what is none sends neither header. */
export function isFromBrowser(headers: Headers): boolean {
  return headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined;
}
