import type { Readable } from 'node:stream';

/** Returns a stream that is destroyed when its reader stops, even before the first read. */
export function releasedStream(
  stream: Readable,
  toError: (thrown: unknown) => unknown = (thrown) => thrown,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      return {
        next: () =>
          pieces.next().catch((error: unknown) => {
            throw toError(error);
          }),
        async return() {
          stream.destroy();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
