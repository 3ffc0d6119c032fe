import { type Readable, Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import { type BodyAdmission, declaredSize, maxUnauthenticatedBytes } from '#server/http/request-limits.ts';
import { unreadableBody } from './body-parsers.ts';
import { createMemoryBudget, type MemoryBudget, type Reservation } from './response-budget.ts';

/** Maximum bytes of a body that needs no reservation. Such bodies are limited by the number of connections. */
const uncounted = 8_000;

/** Memory limits, in bytes, for the request bodies of one process. */
interface BodyBudget {
  /** For bodies above `maxUnauthenticatedBytes`, on routes that admit the sender before they read so much. */
  large: number;
  /** For bodies above `maxUnauthenticatedBytes`, on other routes. */
  unauthenticated: number;
  /** For all other bodies. */
  small: number;
}

/**
 * @param largest maximum bytes of one body. An address may use a quarter of the budget, and one such body must fit
 * into that.
 */
export function bodyBudget(largest: number): BodyBudget {
  return { large: Math.max(300_000_000, 4 * largest), unauthenticated: 8_000_000, small: 200_000_000 };
}

/** What is known of a body before it is read. `declared` is 0 if no length is declared. */
interface Body {
  declared: number;
  undeclared: boolean;
  admission: BodyAdmission | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the memory that is reserved for the body; null if none is reserved. */
    releaseBody: (() => void) | null;
  }
  interface FastifyContextConfig {
    /** How the sender of a body is admitted. Undefined if anyone may send one of the route's size. */
    bodyAdmission?: (request: FastifyRequest, reply: FastifyReply) => BodyAdmission;
  }
}

/**
 * Limits the total memory of request bodies, and the share of each client address, because a client can open many
 * connections. A sender is admitted before its body is read. If the memory is used up, either
 * the new request is rejected and can be repeated, or an incomplete request of an address that uses more memory is
 * aborted. A body counts until its handler has produced the response, even if the client has not read the response
 * yet.
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
    const body = {
      declared: declaredSize(request),
      undeclared: request.headers['transfer-encoding'] !== undefined,
      admission: request.routeOptions.config.bodyAdmission?.(request, reply),
    };
    const { declared, undeclared, admission } = body;
    const unreadable = declared > 0 || undeclared ? unreadableBody(request) : undefined;
    if (unreadable)
      return void Promise.resolve(admission?.isGuarded ? admission.admit() : undefined).then(
        () => done(unreadable),
        done,
      );
    const isFree = !admission || (undeclared ? admission.free > 0 : declared <= admission.free);
    const { bodyLimit } = request.routeOptions;
    // Fastify rejects a body by its declared length. Above the general limit the response must be that error, not a 401.
    const limit = admission?.isGuarded ? Math.max(bodyLimit, app.initialConfig.bodyLimit ?? 0) : bodyLimit;
    const isRead = isFree || declared > limit;
    if (isRead && declared <= maxUnauthenticatedBytes) return read(request, payload, body, done);
    // In a microtask: the bytes of a large body flow only after the following hooks, when Fastify listens to the stream.
    Promise.resolve(isRead ? undefined : admission.admit()).then(
      () => read(request, payload, body, done),
      done,
    );
  });
  parseInTurn(app);
  releaseAtResponse(app);

  /** Reserves memory for a body whose sender may send its declared length, and passes its stream or an error on. */
  function read(
    request: FastifyRequest,
    payload: Readable,
    { declared, undeclared, admission }: Body,
    done: (error: Error | null, payload?: Readable) => void,
  ): void {
    if (request.raw.destroyed) return void done(brokeOff());
    if (!undeclared && declared <= uncounted) return void done(null, payload);
    if (declared > request.routeOptions.bodyLimit) return void done(null, payload);

    const address = addressOf(request);
    const isLarge = !undeclared && declared > maxUnauthenticatedBytes;
    // A large body reserves memory as its bytes arrive. A client that only declares a large size uses no memory.
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
    if (reserved > 0 && !hold(small).tryGrow(reserved)) return void done(tooMuch());
    request.raw.once('end', () => {
      for (const holding of holdings) holding.pin();
    });
    if (!isLarge && !undeclared) return void done(null, payload);

    const counted = hold(admission ? large : unauthenticated);
    // `releaseBody` is null after the response has been produced; the rest of the body then needs no memory.
    const take = (bytes: number) => request.releaseBody !== null && counted.tryGrow(bytes);
    const counting = countBytes(
      payload,
      schedule,
      isLarge ? 0 : (admission?.free ?? maxUnauthenticatedBytes),
      async () => admission?.admit(),
      take,
    );
    stop = () => void counting.destroy(tooMuch());
    done(null, counting);
  }
}

/** Parses at most one large body in each iteration of the event loop, so that other events can run in between. */
function parseInTurn(app: FastifyInstance): void {
  let last = Promise.resolve();
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.releaseBody || !isLargeBody(request.body)) return done();
    last = last.then(() => nextTurn());
    last.then(() => done());
  });
}

/** Releases a body when its response has been produced. */
function releaseAtResponse(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.releaseBody) {
      request.releaseBody();
      // Fastify keeps the request until the client has read the response. Release the body now, and discard bytes
      // that still arrive.
      request.body = undefined;
      request.raw.unpipe().resume();
    }
    done(null, payload);
  });
}

/** Bytes of large bodies that are read in one iteration of the event loop. Reading them takes about a millisecond. */
const bytesPerIteration = 250_000;

/**
 * Spreads the reads of large bodies over iterations of the event loop. Node accepts one connection per iteration: if
 * an iteration read from dozens of uploads, new clients would wait for most of a second.
 */
class ReadSchedule {
  #bytesLeft = bytesPerIteration;
  readonly #later: { bytes: number; run(): void }[] = [];

  /** Calls `run`, which handles `bytes` bytes of a large body, in this iteration or a later one. */
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
 * Returns a stream with the same bytes as `payload` that counts them. After `free` bytes it calls `admit`
 * once, and `take` must then reserve memory for each further chunk. If either fails, the stream fails.
 */
function countBytes(
  payload: Readable,
  schedule: ReadSchedule,
  free: number,
  admit: () => Promise<void>,
  take: (bytes: number) => boolean,
): Readable & { receivedEncodedLength: number } {
  let length = 0;
  let admitted = free === 0;
  const handOn = (chunk: Buffer, next: (error: Error | null, chunk?: Buffer) => void) =>
    schedule.add(chunk.length, () => next(null, chunk));
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      length += chunk.length;
      // Fastify compares this length with the limit of the route.
      Object.assign(counting, { receivedEncodedLength: length });
      if (length <= free) return next(null, chunk);
      const count = () => (take(chunk.length) ? handOn(chunk, next) : next(tooMuch()));
      if (admitted) return count();
      admit().then(() => {
        admitted = true;
        count();
      }, next);
    },
  });
  counting.once('error', () => {
    payload.unpipe(counting);
    // Discard the rest of the body, so that the client can read the error.
    payload.resume();
  });
  payload.once('error', (error) => counting.destroy(error));
  payload.once('close', () => {
    // The client disconnected before the end of the body: no more data will arrive.
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
