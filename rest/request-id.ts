import { newId } from '#server/ids.ts';

/** The caller's X-Request-ID where it can be echoed safely (C 7), else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : newId();
}
