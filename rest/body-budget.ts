import { type Readable, Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import { createMemoryBudget, type MemoryBudget, type Reservation } from './memory-budget.ts';
import { declaredSize, largestUnauthenticated } from './request-limits.ts';

/** Bytes of a body that is not counted: as many as there can be connections. */
const uncounted = 8_000;

/** What the bodies of one process may come to, answered for or not, in bytes. */
export interface BodyBudget {
  /** Of bodies whose senders are looked up, above `largestUnauthenticated`. */
  large: number;
  /** Of larger ones that anybody may send: those of routes that ask for no credential before the body is read. */
  unauthenticated: number;
  /** Of the others. */
  small: number;
}

/** @param largest bytes of a body at most: an address, which may hold a quarter, must have room for it */
export function bodyBudget(largest: number): BodyBudget {
  return { large: Math.max(300_000_000, 4 * largest), unauthenticated: 8_000_000, small: 200_000_000 };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives back what the body took of the budget; null where it took nothing. */
    giveBackBody: (() => void) | null;
  }
  interface FastifyContextConfig {
    /** Asked before more than `largestUnauthenticated` bytes of a body are read. @throws AppError where they shall not be */
    authenticate?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  }
}

/**
 * Bounds what the bodies of all requests together may hold, by the address of their clients, and has a large one's sender
 * authenticated before it is read: anybody may open many connections. Past a bound a request is refused, and may come again; or
 * one whose body has not come whole is broken off, of an address that holds more.
 * A body is held until its handler has made the answer, whether that is read or not.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  addressOf: (request: FastifyRequest) => string,
  budget: BodyBudget,
): void {
  const large = createMemoryBudget(budget.large);
  const unauthenticated = createMemoryBudget(budget.unauthenticated);
  const small = createMemoryBudget(budget.small);

  app.decorateRequest('giveBackBody', null);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const declared = declaredSize(request);
    const undeclared = request.headers['transfer-encoding'] !== undefined;
    if (!undeclared && declared <= uncounted) return done(null, payload);
    // Fastify refuses it by its length, which a 401 must not come before (B 4.1).
    if (declared > request.routeOptions.bodyLimit) return done(null, payload);

    const address = addressOf(request);
    const isLarge = !undeclared && declared > largestUnauthenticated;
    // As the bytes come, a large one: what is only announced costs nothing.
    const reserved = isLarge
      ? 0
      : Math.min(undeclared ? largestUnauthenticated : declared, largestUnauthenticated);
    const holdings: Reservation[] = [];
    request.giveBackBody = () => {
      request.giveBackBody = null;
      for (const holding of holdings) holding.release();
    };
    let stop = () => void request.raw.socket.resetAndDestroy();
    const hold = (of: MemoryBudget) => {
      const holding = of.reserve(address, () => {
        request.giveBackBody?.();
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
    // What was given back is answered already.
    const take = (bytes: number) => request.giveBackBody !== null && counted.tryGrow(bytes);
    const read = () => {
      if (request.raw.destroyed) return done(brokeOff());
      const counting = countBytes(payload, isLarge ? 0 : largestUnauthenticated, authenticate, take);
      stop = () => void counting.destroy(tooMuch());
      done(null, counting);
    };
    if (isLarge) authenticate().then(read, done);
    else read();
  });
  // Large bodies that arrive together are not parsed in one go: whatever else came meanwhile goes between.
  let last = Promise.resolve();
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.giveBackBody || !isLargeBody(request.body)) return done();
    last = last.then(() => nextTurn());
    last.then(() => done());
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.giveBackBody) {
      request.giveBackBody();
      // The request waits with its answer until that is read; the body need not. What still comes is thrown away.
      request.body = undefined;
      request.raw.unpipe().resume();
    }
    done(null, payload);
  });
}

/** Bytes of large bodies that are read in one turn of the event loop: about a millisecond's work. */
const bytesPerTurn = 250_000;
let leftOfTurn = bytesPerTurn;
const waitingForTurn: { bytes: number; run(): void }[] = [];

/**
 * Runs what takes `bytes` of a large body, now or in a later turn of the event loop. Node accepts one connection per turn, so
 * turns that read from dozens of uploads at once keep new clients waiting for most of a second.
 */
function waitForTurn(bytes: number, run: () => void): void {
  if (leftOfTurn === bytesPerTurn) setImmediate(startTurn);
  if (leftOfTurn <= 0) return void waitingForTurn.push({ bytes, run });
  leftOfTurn -= bytes;
  run();
}

function startTurn(): void {
  leftOfTurn = bytesPerTurn;
  while (leftOfTurn > 0) {
    const next = waitingForTurn.shift();
    if (!next) return;
    waitForTurn(next.bytes, next.run);
  }
}

/**
 * A body with its bytes counted. Past `free` of them `authenticate` is asked, once, before any more is handed on; from then on
 * each piece asks `take` for room.
 */
function countBytes(
  payload: Readable,
  free: number,
  authenticate: () => Promise<void>,
  take: (bytes: number) => boolean,
): Readable & { receivedEncodedLength: number } {
  let length = 0;
  let authenticated = free === 0;
  const handOn = (chunk: Buffer, next: (error: Error | null, chunk?: Buffer) => void) =>
    waitForTurn(chunk.length, () => next(null, chunk));
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      length += chunk.length;
      // What Fastify compares with its limit.
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
    // Thrown away, so that the refusal can be read.
    payload.resume();
  });
  payload.once('error', (error) => counting.destroy(error));
  payload.once('close', () => {
    // A client that hung up in the middle: nothing more will come.
    if (!payload.readableEnded) counting.destroy(brokeOff());
  });
  return Object.assign(payload.pipe(counting), { receivedEncodedLength: 0 });
}

function isLargeBody(body: unknown): boolean {
  return Buffer.isBuffer(body) && body.length > largestUnauthenticated;
}

function brokeOff(): AppError {
  return new AppError('malformed_request', 'the body broke off');
}

function tooMuch(): AppError {
  return new AppError('transient_error', 'too many large requests at once; try again later', {
    retryAfter: 5,
  });
}
