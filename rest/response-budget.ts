import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, errorBody } from '#server/errors.ts';
import { createMemoryBudget, type Reservation } from './memory-budget.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers everybody from one Buffer: no memory is held for a reader. */
    shared?: boolean;
  }
}

/** Bytes of an answer that is sent whole: a socket holds few of them, and is watched itself. */
const sentWhole = 65_536;

/** Bounds of the answers of one process; the tests set smaller ones. */
export interface ResponseLimits {
  /** Bytes of large answers that are not read yet, shared among the addresses of their clients. */
  held: number;
  /** Milliseconds from an answer's beginning to its end: 60 MB at 1 Mbit/s take 500 s. */
  deadline: number;
  /** Milliseconds after which an answer of which nothing was taken gives way to another of its client's address. */
  patience: number;
}

const ownBounds: ResponseLimits = { held: 400_000_000, deadline: 900_000, patience: 30_000 };

/** A large answer on its way. */
interface UnreadResponse {
  address: string;
  bytes: number;
  began: number;
  /** When its client took a piece for the last time. */
  taken: number;
  holding: Reservation;
  breakOff(): void;
}

/**
 * Bounds what large answers hold that nobody reads, by the address of their clients. They are sent in pieces, so that it is
 * seen whether they are read. An answer for which there is no room ends the stillest of an address that holds more; where
 * its own address has no room, the one that has stood still longest there. Where none has for a while, a GET is refused,
 * which loses nothing, and anything else is sent at the cost of the oldest.
 * Downloads that are made while they are sent hold next to nothing, and have bounds of their own.
 */
export function limitUnreadResponses(
  app: FastifyInstance,
  addressOf: (request: FastifyRequest) => string,
  bounds = ownBounds,
): void {
  const unread = new Set<UnreadResponse>();
  const held = createMemoryBudget(bounds.held);

  app.addHook('onSend', (request, reply, payload, done) => {
    const length = lengthOf(payload);
    // The request itself counts as destroyed once its body is read.
    if (length <= sentWhole || request.method === 'HEAD' || request.raw.socket.destroyed)
      return done(null, payload);
    const address = addressOf(request);
    const answer: UnreadResponse = {
      address,
      bytes: request.routeOptions.config?.shared ? 0 : length,
      began: Date.now(),
      taken: Date.now(),
      holding: held.reserve(address, () => answer.breakOff()),
      breakOff() {
        letGo(answer);
        // An end would look like the end of the answer to whoever speaks HTTP/1.0.
        request.raw.socket.resetAndDestroy();
      },
    };
    const mayRefuse = request.method === 'GET';
    if (!makeRoom(answer, mayRefuse ? bounds.patience : 0)) {
      if (mayRefuse) {
        answer.holding.release();
        return done(null, refuse(reply));
      }
      answer.holding.grow(answer.bytes);
    }
    unread.add(answer);
    reply.raw.once('close', () => letGo(answer));
    reply.header('content-length', length);
    done(null, inPieces(payload as string | Buffer, answer));
  });

  function letGo(answer: UnreadResponse): void {
    unread.delete(answer);
    answer.holding.release();
  }

  /** Counts an answer in, at the cost of those of its address that have stood still for `patience` milliseconds. */
  function makeRoom({ address, bytes, holding }: UnreadResponse, patience: number): boolean {
    while (bytes > 0 && !holding.tryGrow(bytes)) {
      const before = Date.now() - patience;
      const stillest = [...unread]
        .filter((other) => other.address === address && other.bytes > 0 && other.taken <= before)
        .sort((a, b) => a.taken - b.taken)[0];
      if (!stillest) return false;
      stillest.breakOff();
    }
    return true;
  }

  const watch = setInterval(() => {
    const before = Date.now() - bounds.deadline;
    for (const answer of unread) if (answer.began <= before) answer.breakOff();
  }, bounds.deadline / 60);
  watch.unref();
  app.addHook('onClose', async () => clearInterval(watch));
}

function lengthOf(payload: unknown): number {
  if (typeof payload === 'string')
    // A character is three bytes at most: most answers need not be measured.
    return payload.length * 3 <= sentWhole ? payload.length : Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

function inPieces(payload: string | Buffer, answer: UnreadResponse): Readable {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  let sent = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      answer.taken = Date.now();
      answer.holding.touch();
      this.push(sent < bytes.length ? bytes.subarray(sent, sent + sentWhole) : null);
      sent += sentWhole;
    },
  });
}

function refuse(reply: FastifyReply): string {
  const error = new AppError('transient_error', 'too many large answers are not read yet; try again later', {
    retryAfter: 5,
  });
  for (const name of ['content-length', 'content-disposition', 'etag', 'cache-control'])
    reply.removeHeader(name);
  reply
    .code(error.status)
    .header('retry-after', String(error.retryAfter))
    .header('content-type', 'application/json; charset=utf-8');
  return JSON.stringify(errorBody(error, reply.request.id));
}
