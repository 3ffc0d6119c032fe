import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to PostgreSQL that a test can interrupt. */
export interface DatabaseRelay {
  /** The URL of the database through the relay. */
  url: string;
  /**
   * From now on, cuts each connection when the database confirms a commit. The transaction is then committed, but its
   * client does not receive the confirmation.
   */
  loseCommits(): void;
  /** Cuts all connections, and rejects new ones. */
  cut(): void;
  /** Lets all connections through again. */
  heal(): void;
  close(): Promise<void>;
}

/** PostgreSQL's message that confirms a commit: the type `C`, the length, and the tag. */
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
