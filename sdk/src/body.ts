import type { Fetch } from './options.ts';

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
