import { Readable } from 'node:stream';
import { isTrackedEnvelope, type tracked } from '@trpc/server';
import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * Milliseconds of one stream. Then the response ends, and the client connects again with its last ID. The value is
 * below the usual limits of load balancers for one request.
 */
const maxLifeMs = 900_000;

/** Milliseconds after which a client connects again, if the stream ended without an error. */
const retryMs = 500;

/**
 * The data of an item that has only an ID: a heartbeat, which moves the client's last ID. `tracked` types the item as
 * one with data.
 */
export const onlyId = Object.freeze({}) as never;

/** The event streams in progress of an application. */
interface EventStreams {
  /** Returns a signal that aborts when a stream must end: at a drain, at the end of its life, or with its connection. */
  begin(reply: FastifyReply): AbortSignal;
}

/** Ends all event streams when the application drains, because they would delay it. */
export function trackEventStreams(app: FastifyInstance): EventStreams {
  const open = new Set<AbortController>();
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    for (const stream of open) stream.abort();
  });
  return {
    begin({ raw }) {
      const stream = new AbortController();
      if (closing) stream.abort();
      open.add(stream);
      const life = setTimeout(() => stream.abort(), maxLifeMs);
      raw.once('close', () => {
        clearTimeout(life);
        open.delete(stream);
        stream.abort();
      });
      return stream.signal;
    },
  };
}

/**
 * Sends the items of a subscription as server-sent events in tRPC's format. Waits for the first item, so that an error
 * before it gets its own HTTP status. Waits for the reader after each item.
 * @param shapeError returns the body of an error that ends the stream
 */
export async function sendEventStream(
  reply: FastifyReply,
  items: AsyncIterable<unknown>,
  shapeError: (thrown: unknown) => unknown,
): Promise<FastifyReply> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  reply.header('cache-control', 'no-store');
  return reply.send(Readable.from(blocks(iterator, first, shapeError), { objectMode: false }));
}

async function* blocks(
  iterator: AsyncIterator<unknown>,
  first: IteratorResult<unknown>,
  shapeError: (thrown: unknown) => unknown,
): AsyncGenerator<string> {
  try {
    yield `event: connected\ndata: {}\nretry: ${retryMs}\n\n`;
    for (let next = first; !next.done; next = await iterator.next()) yield blockOf(next.value);
  } catch (thrown) {
    yield `event: serialized-error\ndata: ${JSON.stringify({ json: shapeError(thrown) })}\n\n`;
  } finally {
    await iterator.return?.();
  }
}

function blockOf(item: unknown): string {
  if (!isTrackedEnvelope(item as never)) throw new Error('an item of a subscription has no ID');
  const [id, data] = item as ReturnType<typeof tracked<unknown>>;
  if (data === onlyId) return `event: ping\ndata: \nid: ${id}\n\n`;
  return `id: ${id}\ndata: ${JSON.stringify({ json: data })}\n\n`;
}
