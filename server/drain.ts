import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds that requests under way may still take once the drain has begun. */
const drainDeadline = 150_000;

/**
 * Follows a server's connections, so that a drain waits for requests and for nothing else: Node's own closing waits
 * for a connection that has never sent anything as long as its client likes.
 */
export function followConnections(server: Server) {
  const answering = new Map<Socket, number>();
  let draining = false;

  server.on('connection', (socket) => {
    answering.set(socket, 0);
    socket.once('close', () => answering.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    answering.set(socket, (answering.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (answering.get(socket) ?? 1) - 1;
      if (answering.has(socket)) answering.set(socket, left);
      if (draining && left === 0) socket.destroySoon();
    });
  });

  return {
    /** Ends what has no request under way now, and everything else after the deadline. */
    drain(): void {
      draining = true;
      for (const [socket, requests] of answering) if (requests === 0) socket.destroy();
      setTimeout(() => server.closeAllConnections(), drainDeadline).unref();
    },
  };
}
