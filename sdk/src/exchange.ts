import type { Fetch } from './options.ts';

/** The connection failed before a whole answer had come. */
export class NoResponse {
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
    throw new NoResponse(cause);
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

/** Some bytes of a body, as many as came at once. */
export type Piece = Uint8Array<ArrayBuffer>;

/** A body that is read as it comes, no faster than it is asked for. */
export interface BodyReader {
  /** The next piece; undefined at the end. Rejects where the body breaks off. */
  read(): Promise<Piece | undefined>;
  /** Ends the download, and with it the connection. What is read afterwards is not to be trusted to be the end. */
  cancel(): void;
}

export function readBody(response: Awaited<ReturnType<Fetch>>): BodyReader {
  const { body } = response;
  // Some implementations of `fetch` have a stream of their own there.
  if (body && 'getReader' in body) {
    const reader: ReadableStreamDefaultReader<Piece> = body.getReader();
    return {
      read: async () => (await reader.read()).value,
      // It fails where the body has failed: that is told by `read`.
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
