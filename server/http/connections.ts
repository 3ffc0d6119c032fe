import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '#server/errors.ts';
import { createConnectionSlots } from './connection-slots.ts';

/** Milliseconds that requests in progress may still take after a drain has begun. */
const drainDeadline = 150_000;

/** Limits for the connections of one server. Tests set smaller ones. */
export interface ConnectionLimits {
  /**
   * Maximum requests of one connection that await their response. Clients have no need to send many before the first
   * response.
   */
  unanswered: number;
  /** Milliseconds for which a client may read nothing although data is ready for it. */
  maxStallMs: number;
  /** Total connections, shared among the clients' addresses. */
  connections: number;
}

/** Milliseconds within which a client sends the first request of a connection. */
const firstRequestMs = 1000;

const ownBounds: ConnectionLimits = { unanswered: 8, maxStallMs: 120_000, connections: 10_000 };

/**
 * Maximum requests beyond `unanswered` without a reset of the connection, because one packet may carry several. The
 * first of them is rejected, the others are ignored.
 */
const maxRejected = 32;

/** Rejects a request beyond the limit after the responses to earlier requests, and closes the connection. */
type RefuseRequest = (error: AppError, request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  /** When it was accepted, in milliseconds since the epoch; 0 after its first request. */
  opened: number;
  unanswered: number;
  /** Bytes that the client had read at the last check. `since` is the time from which this number has not changed. */
  taken: number;
  since: number;
}

/**
 * Tracks a server's connections. Limits the unanswered requests of each connection, and resets connections whose
 * clients stop reading. A drain closes connections without a request; Node's own close would wait indefinitely for a
 * connection that has never sent a request.
 * @param byAddress whether the peers of the connections are the clients themselves, not proxies
 * @param addressOf returns the client address of a request; addresses take turns
 */
export function trackConnections(
  server: Server,
  refuse: RefuseRequest,
  byAddress: boolean,
  addressOf: (request: IncomingMessage) => string,
  bounds = ownBounds,
) {
  const connections = new Map<Socket, Connection>();
  const slots = createConnectionSlots(bounds.connections, byAddress);
  const takeTurn = createTurns();
  let draining = false;

  server.on('connection', (socket) => {
    if (!slots.acquire(socket)) return void socket.destroy();
    connections.set(socket, { opened: Date.now(), unanswered: 0, taken: 0, since: 0 });
    socket.once('close', () => {
      connections.delete(socket);
      slots.release(socket);
    });
  });

  // This handler runs before Fastify's: Node parses all requests of a packet, up to a thousand, before it handles any
  // response.
  const [handle] = server.listeners('request') as [(...of: [IncomingMessage, ServerResponse]) => void];
  server.removeListener('request', handle);
  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection || socket.destroyed) return;
    if (connection.unanswered === 0) {
      connection.since = Date.now();
      // No bytes of this response have been sent yet.
      connection.taken = -1;
    }
    connection.unanswered += 1;
    connection.opened = 0;
    slots.requestStarted(socket, request);
    response.once('close', () => {
      connection.unanswered -= 1;
      if (connection.unanswered > 0) return;
      slots.becameIdle(socket);
      if (draining) socket.destroySoon();
    });
    const past = connection.unanswered - bounds.unanswered;
    if (past <= 0)
      takeTurn(addressOf(request), () => {
        if (!socket.destroyed) handle(request, response);
      });
    else if (past === 1)
      refuse(
        new AppError(
          'too_many_requests',
          `more than ${bounds.unanswered} pending requests on a connection; wait for responses, or open another connection`,
        ),
        request,
        response,
      );
    else if (past > maxRejected) socket.resetAndDestroy();
  });

  const watch = setInterval(() => {
    const now = Date.now();
    for (const [socket, connection] of connections) {
      if (connection.unanswered === 0) continue;
      // The bytes that the client has read: those written to the socket, minus those that are still in its buffer.
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.since = now;
      } else if (now - connection.since >= bounds.maxStallMs)
        // Reset the connection: to an HTTP/1.0 client, such as a proxy, a normal close would look like the end of the response.
        socket.resetAndDestroy();
    }
  }, bounds.maxStallMs / 10);
  watch.unref();
  server.once('close', () => clearInterval(watch));

  return {
    /** Closes idle connections now, new ones after a moment, and all others after `drainDeadline`. */
    drain(): void {
      draining = true;
      for (const [socket, { unanswered, opened }] of connections) {
        if (unanswered > 0) continue;
        // The first request of a new connection is probably on its way.
        const left = firstRequestMs - (Date.now() - opened);
        if (left <= 0) socket.destroy();
        else setTimeout(() => connections.get(socket)?.unanswered === 0 && socket.destroy(), left);
      }
      setTimeout(() => server.closeAllConnections(), drainDeadline).unref();
    },
  };
}

/** Starts work for a client address in its turn. */
export type TakeTurn = (address: string, work: () => void) => void;

/** Pieces of work of one address in a turn. */
const inOneTurn = 2;

/**
 * Returns a function that starts work in turns: in each iteration of the event loop, a few pieces of each client address at once, and
 * further ones in the next iterations, in the order in which they came. So many requests of one address, which may arrive
 * in one packet, do not hold up those of others.
 */
function createTurns(): TakeTurn {
  /** The addresses with work in this turn: how much was started, and the rest, in order. */
  const turns = new Map<string, { started: number; queue: (() => void)[] }>();
  const nextTurn = () => {
    for (const [address, turn] of turns) {
      const works = turn.queue.splice(0, inOneTurn);
      turn.started = works.length;
      if (works.length === 0) turns.delete(address);
      for (const work of works) work();
    }
    if (turns.size > 0) setImmediate(nextTurn);
  };
  return (address, work) => {
    if (turns.size === 0) setImmediate(nextTurn);
    const turn = turns.get(address) ?? { started: 0, queue: [] };
    turns.set(address, turn);
    if (turn.queue.length > 0 || turn.started >= inOneTurn) return void turn.queue.push(work);
    turn.started += 1;
    work();
  };
}
