import { type Readable, Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import { declaredSize, maxUnauthenticatedBytes } from '#server/http/request-limits.ts';
import { createMemoryBudget, type MemoryBudget, type Reservation } from './memory-budget.ts';

/** Bodies up to this size, in bytes, are not counted: the limit on connections restricts them. */
const uncounted = 8_000;

/** Memory limits, in bytes, for the request bodies of one process. */
export interface BodyBudget {
  /** Bodies above `maxUnauthenticatedBytes` whose senders are authenticated first. */
  large: number;
  /** Bodies above `maxUnauthenticatedBytes` on routes that do not authenticate before the body is read. */
  unauthenticated: number;
  /** All other bodies. */
  small: number;
}

/**
 * @param largest maximum bytes of a body. One such body must fit into an address's share, a quarter of the budget.
 */
export function bodyBudget(largest: number): BodyBudget {
  return { large: Math.max(300_000_000, 4 * largest), unauthenticated: 8_000_000, small: 200_000_000 };
}

type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Returns the body's memory to the budget; null if it used none. */
    releaseBody: (() => void) | null;
  }
  interface FastifyContextConfig {
    /**
     * Called before more than `maxUnauthenticatedBytes` bytes of a body are read. @throws AppError if the caller must
     * not send them
     */
    authenticate?: Authenticate;
  }
}

/**
 * Limits the memory of all request bodies together, per client address, since anyone can open many connections. The
 * sender of a large body is authenticated before it is read. Beyond a limit, either the request is rejected and can be
 * retried, or an incomplete request of an address that holds more is aborted. A body counts until its handler has
 * produced the response, whether or not the client has read that.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  addressOf: (request: FastifyRequest) => string,
  budget: BodyBudget,
): void {
  const large = createMemoryBudget(budget.large);
  const unauthenticated = createMemoryBudget(budget.unauthenticated);
  const small = createMemoryBudget(budget.small);
  const schedule = new ReadSchedule();

  app.decorateRequest('releaseBody', null);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const declared = declaredSize(request);
    const undeclared = request.headers['transfer-encoding'] !== undefined;
    if (!undeclared && declared <= uncounted) return done(null, payload);
    // Fastify rejects it by its length; a 401 must not come first.
    if (declared > request.routeOptions.bodyLimit) return done(null, payload);

    const address = addressOf(request);
    const isLarge = !undeclared && declared > maxUnauthenticatedBytes;
    // A large body reserves memory as its bytes arrive, so that announcing a size costs nothing.
    const reserved = isLarge
      ? 0
      : Math.min(undeclared ? maxUnauthenticatedBytes : declared, maxUnauthenticatedBytes);
    const holdings: Reservation[] = [];
    request.releaseBody = () => {
      request.releaseBody = null;
      for (const holding of holdings) holding.release();
    };
    let stop = () => void request.raw.socket.resetAndDestroy();
    const hold = (of: MemoryBudget) => {
      const holding = of.reserve(address, () => {
        request.releaseBody?.();
        stop();
      });
      holdings.push(holding);
      return holding;
    };
    if (reserved > 0 && !hold(small).tryGrow(reserved)) return done(tooMuch());
    request.raw.once('end', () => {
      for (const holding of holdings) holding.pin();
    });
    if (!isLarge && !undeclared) return done(null, payload);

    const { authenticate: ask } = request.routeOptions.config;
    const authenticate = async () => ask?.(request, reply);
    const counted = hold(ask ? large : unauthenticated);
    // Once the memory was returned, the response has been sent.
    const take = (bytes: number) => request.releaseBody !== null && counted.tryGrow(bytes);
    const read = () => {
      if (request.raw.destroyed) return done(brokeOff());
      const counting = countBytes(
        payload,
        schedule,
        isLarge ? 0 : maxUnauthenticatedBytes,
        authenticate,
        take,
      );
      stop = () => void counting.destroy(tooMuch());
      done(null, counting);
    };
    if (isLarge) authenticate().then(read, done);
    else read();
  });
  // Do not parse several large bodies in one iteration: let other events run in between.
  let last = Promise.resolve();
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.releaseBody || !isLargeBody(request.body)) return done();
    last = last.then(() => nextTurn());
    last.then(() => done());
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.releaseBody) {
      request.releaseBody();
      // The request stays in memory until its response has been read; release the body now and discard what still arrives.
      request.body = undefined;
      request.raw.unpipe().resume();
    }
    done(null, payload);
  });
}

/** Bytes of large bodies to read in one iteration of the event loop: about a millisecond's work. */
const bytesPerIteration = 250_000;

/**
 * Reads of large bodies, over the iterations of the event loop. Node accepts one connection per iteration, so iterations
 * that read from dozens of uploads keep new clients waiting for most of a second.
 */
class ReadSchedule {
  #bytesLeft = bytesPerIteration;
  readonly #later: { bytes: number; run(): void }[] = [];

  /** Runs `run`, which handles `bytes` of a large body, now or in a later iteration. */
  add(bytes: number, run: () => void): void {
    if (this.#bytesLeft === bytesPerIteration) setImmediate(() => this.#startIteration());
    if (this.#bytesLeft <= 0) return void this.#later.push({ bytes, run });
    this.#bytesLeft -= bytes;
    run();
  }

  #startIteration(): void {
    this.#bytesLeft = bytesPerIteration;
    while (this.#bytesLeft > 0) {
      const next = this.#later.shift();
      if (!next) return;
      this.add(next.bytes, next.run);
    }
  }
}

/**
 * Counts a body's bytes. After `free` bytes it calls `authenticate`, once, before it passes on more. From then on
 * `take` must reserve memory for each chunk.
 */
function countBytes(
  payload: Readable,
  schedule: ReadSchedule,
  free: number,
  authenticate: () => Promise<void>,
  take: (bytes: number) => boolean,
): Readable & { receivedEncodedLength: number } {
  let length = 0;
  let authenticated = free === 0;
  const handOn = (chunk: Buffer, next: (error: Error | null, chunk?: Buffer) => void) =>
    schedule.add(chunk.length, () => next(null, chunk));
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      length += chunk.length;
      // Fastify compares this with its limit.
      Object.assign(counting, { receivedEncodedLength: length });
      if (length <= free) return next(null, chunk);
      const count = () => (take(chunk.length) ? handOn(chunk, next) : next(tooMuch()));
      if (authenticated) return count();
      authenticate().then(() => {
        authenticated = true;
        count();
      }, next);
    },
  });
  counting.once('error', () => {
    payload.unpipe(counting);
    // Discard the rest, so that the client can read the error.
    payload.resume();
  });
  payload.once('error', (error) => counting.destroy(error));
  payload.once('close', () => {
    // The client disconnected before the end: no more data will arrive.
    if (!payload.readableEnded) counting.destroy(brokeOff());
  });
  return Object.assign(payload.pipe(counting), { receivedEncodedLength: 0 });
}

function isLargeBody(body: unknown): boolean {
  return Buffer.isBuffer(body) && body.length > maxUnauthenticatedBytes;
}

function brokeOff(): AppError {
  return new AppError('malformed_request', 'incomplete request body; send it again');
}

function tooMuch(): AppError {
  return new AppError('transient_error', 'too many large requests at the same time; try again later', {
    retryAfter: 5,
  });
}
