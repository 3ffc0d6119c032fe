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
