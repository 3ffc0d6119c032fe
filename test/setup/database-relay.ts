import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to PostgreSQL that a test can break. */
export interface DatabaseRelay {
  /** The database's URL by way of the relay. */
  url: string;
  /** Cuts each connection when the database confirms a commit on it: the commit holds, but its client does not know. */
  loseCommits(): void;
  /** Cuts all connections, and refuses new ones. */
  cut(): void;
  /** Lets everything through again. */
  heal(): void;
  close(): Promise<void>;
}

/** The message that confirms a commit: `C`, the length, the tag. */
const commitConfirmed = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

export async function startDatabaseRelay(databaseUrl: string): Promise<DatabaseRelay> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'loses commits' | 'cut' = 'open';

  const server = createServer((client) => {
    if (state === 'cut') return client.destroy();
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
    client.on('data', (chunk) => database.write(chunk));
    database.on('data', (chunk) => {
      if (state === 'loses commits' && chunk.includes(commitConfirmed)) end();
      else client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    state = 'cut';
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    loseCommits: () => {
      state = 'loses commits';
    },
    cut,
    heal: () => {
      state = 'open';
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
