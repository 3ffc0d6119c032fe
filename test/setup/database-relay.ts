import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Connections to PostgreSQL that a test can interrupt. */
export interface DatabaseRelay {
  /** The URL of the database through the relay. */
  url: string;
  /** Resolves when a client has sent the statement. No client gets a response from then on. */
  withheld: Promise<void>;
  /** Cuts all connections, and rejects new ones. */
  close(): Promise<void>;
}

/** Forwards connections to the database until a client sends `statement`, and withholds all responses after that. */
export async function startDatabaseRelay(databaseUrl: string, statement: string): Promise<DatabaseRelay> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const sent = Promise.withResolvers<void>();
  let open = true;

  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk) => {
      if (chunk.includes(statement)) {
        open = false;
        sent.resolve();
      }
      database.write(chunk);
    });
    database.on('data', (chunk) => open && client.write(chunk));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    withheld: sent.promise,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
