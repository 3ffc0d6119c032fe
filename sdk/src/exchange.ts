import type { Fetch } from './options.ts';

/** Thrown if the connection failed before a complete response arrived. */
export class NoResponse {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/**
 * Sends one request. `read` reads the body of its response.
 * @throws NoResponse
 */
export async function exchange<T>(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  read: (response: Awaited<ReturnType<Fetch>>) => Promise<T>,
): Promise<T> {
  try {
    // Redirects are not followed: a redirect would send the API key to another URL, or turn a POST into a GET.
    return await read(await fetch(url, { ...init, redirect: 'manual' }));
  } catch (cause) {
    throw new NoResponse(cause);
  }
}

/** Parses the text as JSON; returns the text itself if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Bytes with their own buffer. Derived from the result of a method, because `Uint8Array` has a type parameter only
 * since TypeScript 5.7.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** A part of a body: the bytes that arrived together. */
export type Piece = Bytes;

/** Reads a body while it arrives, and only as fast as the caller requests pieces. */
export interface BodyReader {
  /** Returns the next piece; undefined at the end. Rejects if the body is cut off. */
  read(): Promise<Piece | undefined>;
  /** Ends the download and its connection. After that, `read` may report an end although the body is incomplete. */
  cancel(): void;
}

export function readBody(response: Awaited<ReturnType<Fetch>>): BodyReader {
  const { body } = response;
  // Some implementations of `fetch` have a different kind of stream as body.
  if (body && 'getReader' in body) {
    const reader: ReadableStreamDefaultReader<Piece> = body.getReader();
    return {
      read: async () => (await reader.read()).value,
      // `cancel` fails if the body has failed. Ignore this, because `read` reports it.
      cancel: () => void reader.cancel().catch(() => {}),
    };
  }
  let asked = false;
  return {
    async read() {
      if (asked) return undefined;
      asked = true;
      return new Uint8Array(await response.arrayBuffer());
    },
    cancel() {},
  };
}
