import type { Fetch } from './options.ts';

/** The connection failed before a whole answer had come. */
export class NoAnswer {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** One request and its answer, whose body `read` takes whole. @throws NoAnswer */
export async function exchange<T>(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  read: (response: Awaited<ReturnType<Fetch>>) => Promise<T>,
): Promise<T> {
  try {
    // A redirect is not followed: it would take the key to another address, or turn a POST into a GET.
    return await read(await fetch(url, { ...init, redirect: 'manual' }));
  } catch (cause) {
    throw new NoAnswer(cause);
  }
}

/** The text's JSON, or the text itself where it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
