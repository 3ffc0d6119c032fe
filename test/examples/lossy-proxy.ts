import { onTestFinished } from 'vitest';
import { serveHttp } from '#test/fakes/http-server.ts';

export interface LossyProxy {
  address: string;
  /** The number of uploads that were forwarded to the service so far. */
  uploads(): number;
  /**
   * Forwards `count` more uploads, and returns the responses of all except the last one. Later requests are not
   * forwarded and receive no response. Resolves when the service has responded to all forwarded uploads, so that their
   * jobs exist.
   */
  loseAfter(count: number): Promise<void>;
  /** Forwards all requests and responses again. */
  heal(): void;
}

/** Starts a proxy in front of the service for one test. It drops responses when the test requests this. */
export async function useLossyProxy(service: string): Promise<LossyProxy> {
  let uploads = 0;
  let inFlight = 0;
  let left = Number.POSITIVE_INFINITY;
  let lost = Promise.withResolvers<void>();
  const { url, close } = await serveHttp(async (request, response, sent) => {
    const isUpload = request.method === 'POST' && (request.url ?? '').startsWith('/api/translations');
    if (left === 0) return;
    if (isUpload) {
      uploads += 1;
      left -= 1;
    }
    const isLast = left === 0;
    inFlight += 1;
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(service + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(sent.length > 0 && { body: sent }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    inFlight -= 1;
    if (left === 0 && inFlight === 0) lost.resolve();
    if (isLast) return;
    // The body was decompressed, so its length is another.
    const {
      'content-encoding': ____,
      'content-length': _____,
      ...answered
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, answered).end(body);
  });
  onTestFinished(close);
  return {
    address: url,
    uploads: () => uploads,
    loseAfter(count) {
      left = count;
      lost = Promise.withResolvers<void>();
      return lost.promise;
    },
    heal() {
      left = Number.POSITIVE_INFINITY;
    },
  };
}
