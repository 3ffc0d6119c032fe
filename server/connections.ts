import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createConnectionSlots } from './connection-slots.ts';
import { AppError } from './errors.ts';

/** Milliseconds that requests under way may still take once the drain has begun. */
const drainDeadline = 150_000;

/** Bounds of one server's connections; the tests set smaller ones. */
export interface ConnectionLimits {
  /** Requests of a connection that wait for their answer; nobody needs to send many before the first is answered. */
  unanswered: number;
  /** Milliseconds that a client may take nothing of what waits for it. */
  longestStall: number;
  /** Connections in all, shared among the clients' addresses. */
  connections: number;
}

const ownBounds: ConnectionLimits = { unanswered: 8, longestStall: 120_000, connections: 10_000 };

/** Requests past the bound that may come in the same packet; a connection with more of them is reset. */
const mostRefused = 32;

/** Answers a request past the bound, in its turn, and ends the connection. */
export type RefuseRequest = (error: AppError, request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  unanswered: number;
  /** Bytes that the client had taken when it was last looked at, and since when there were no more. */
  taken: number;
  since: number;
}

/**
 * Follows a server's connections: bounds how many requests wait on one of them, ends those whose clients read nothing, and
 * lets a drain wait for requests and for nothing else, where Node's own closing waits for a connection that has never sent
 * anything as long as its client likes.
 * @param byAddress whether a connection's peer is the client itself, and no proxy
 */
export function trackConnections(
  server: Server,
  refuse: RefuseRequest,
  byAddress: boolean,
  bounds = ownBounds,
) {
  const connections = new Map<Socket, Connection>();
  const places = createConnectionSlots(bounds.connections, byAddress);
  let draining = false;

  server.on('connection', (socket) => {
    if (!places.acquire(socket)) return void socket.destroy();
    connections.set(socket, { unanswered: 0, taken: 0, since: 0 });
    socket.once('close', () => {
      connections.delete(socket);
      places.release(socket);
    });
  });

  // In front of the framework: Node reads all requests of a packet, a thousand of them, before it looks at any answer.
  const [answer] = server.listeners('request') as [(...of: [IncomingMessage, ServerResponse]) => void];
  server.removeListener('request', answer);
  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection || socket.destroyed) return;
    if (connection.unanswered === 0) {
      connection.since = Date.now();
      // Of this answer nothing is sent yet, whatever was sent before.
      connection.taken = -1;
    }
    connection.unanswered += 1;
    places.requestStarted(socket, request);
    response.once('close', () => {
      connection.unanswered -= 1;
      if (connection.unanswered > 0) return;
      places.becameIdle(socket);
      if (draining) socket.destroySoon();
    });
    const past = connection.unanswered - bounds.unanswered;
    if (past <= 0) answer(request, response);
    else if (past === 1)
      refuse(
        new AppError(
          'too_many_requests',
          `more than ${bounds.unanswered} unanswered requests on a connection`,
        ),
        request,
        response,
      );
    else if (past > mostRefused) socket.resetAndDestroy();
  });

  const watch = setInterval(() => {
    const now = Date.now();
    for (const [socket, connection] of connections) {
      if (connection.unanswered === 0) continue;
      // Of what was given to the socket, all but what still waits in it.
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.since = now;
      } else if (now - connection.since >= bounds.longestStall)
        // An end would look like the end of the answer to whoever speaks HTTP/1.0, as proxies do.
        socket.resetAndDestroy();
    }
  }, bounds.longestStall / 10);
  watch.unref();
  server.once('close', () => clearInterval(watch));

  return {
    /** Ends what has no request under way now, and everything else after the deadline. */
    drain(): void {
      draining = true;
      for (const [socket, { unanswered }] of connections) if (unanswered === 0) socket.destroy();
      setTimeout(() => server.closeAllConnections(), drainDeadline).unref();
    },
  };
}
