type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** More than a browser keeps for one site. */
const mostCookies = 1000;

/** A cookie of a request by its name, as it was sent; of several of one name the first. Null where it is empty, too. */
export function readCookie({ cookie }: Headers, name: string): string | null {
  const text = Array.isArray(cookie) ? cookie.join(';') : (cookie ?? '');
  for (const pair of text.split(';', mostCookies)) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || null;
  }
  return null;
}
