type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a browser says that the page behind this request is another site's (C 7). What is no browser sends
 * neither header. A page of our own is of BASE_URL's origin, or of the host it asked.
 */
export function isCrossSite(headers: Headers, baseUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  if (typeof origin !== 'string') return false;
  if (baseUrl !== undefined && origin === new URL(baseUrl).origin) return false;
  return origin !== `http://${host}` && origin !== `https://${host}`;
}
