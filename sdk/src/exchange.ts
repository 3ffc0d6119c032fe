import type { Fetch } from './options.ts';

/** The connection failed before a complete response arrived. */
export class NoResponse {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** Sends one request; `read` reads the whole body of its response. @throws NoResponse */
export async function exchange<T>(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  read: (response: Awaited<ReturnType<Fetch>>) => Promise<T>,
): Promise<T> {
  try {
    // Do not follow redirects: one would send the key to another URL, or turn a POST into a GET.
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
 * Bytes in their own buffer. Before TypeScript 5.7 `Uint8Array` has no parameter, so the type is that of a method's
 * result.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** Some bytes of a body, as many as arrived together. */
export type Piece = Bytes;

/** A body that is read as it arrives, no faster than requested. */
export interface BodyReader {
  /** Returns the next piece; undefined at the end. Rejects if the body is cut off. */
  read(): Promise<Piece | undefined>;
  /** Ends the download and its connection. A later `read` may report an end that is not the real one. */
  cancel(): void;
}

export function readBody(response: Awaited<ReturnType<Fetch>>): BodyReader {
  const { body } = response;
  // Some implementations of `fetch` have another kind of stream here.
  if (body && 'getReader' in body) {
    const reader: ReadableStreamDefaultReader<Piece> = body.getReader();
    return {
      read: async () => (await reader.read()).value,
      // `cancel` fails if the body has failed, which `read` reports.
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
