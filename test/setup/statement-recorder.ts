import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A statement that a client has sent, with the scopes of the transactions that sent it. */
export interface RecordedStatement {
  text: string;
  /** The types of the parameters, as OIDs; 0 for a type that PostgreSQL infers. */
  types: number[];
  /** `tenant`, `platform`, or `none` if the transaction has no scope, as in graphile-worker. */
  scopes: string[];
}

interface Recorder {
  port: number;
  /** Writes the statements to the file, as JSON. */
  finish(): Promise<void>;
}

/** Forwards connections to PostgreSQL, and records the statements of the clients. */
export async function recordStatementsOf(url: string, file: string): Promise<Recorder> {
  const { hostname, port } = new URL(url);
  const recorded = new Map<string, { types: number[]; scopes: Set<string> }>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    const read = readStatements((text, types, scope) => {
      const statement = recorded.get(text) ?? { types, scopes: new Set() };
      statement.scopes.add(scope);
      recorded.set(text, statement);
    });
    client.on('data', (chunk) => {
      read(chunk);
      database.write(chunk);
    });
    database.on('data', (chunk) => client.write(chunk));
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const)
      socket
        .setNoDelay()
        .on('error', () => other.destroy())
        .on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async finish() {
      server.close();
      const statements = [...recorded].map(([text, { types, scopes }]) => ({
        text,
        types,
        scopes: [...scopes],
      }));
      await writeFile(file, JSON.stringify(statements));
    },
  };
}

/**
 * Reads the messages of one client, of which Parse, Bind and Query contain statements
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
function readStatements(
  onStatement: (text: string, types: number[], scope: string) => void,
): (chunk: Buffer) => void {
  const prepared = new Map<string, { text: string; types: number[] }>();
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  let scope = 'none';

  const executed = (text: string, types: number[], firstValue: string | undefined) => {
    if (/^\s*(begin|commit|rollback)\b/i.test(text)) scope = 'none';
    else if (/set_config\('lingualoop\.tenant_id', \$1/.test(text))
      scope = firstValue === '*' ? 'platform' : 'tenant';
    else if (text.includes("set_config('lingualoop.tenant_id'")) scope = 'tenant';
    onStatement(text, types, scope);
  };

  const message = (type: string, body: Buffer) => {
    const end = (from: number) => body.indexOf(0, from);
    if (type === 'Q') executed(body.toString('utf8', 0, end(0)), [], undefined);
    if (type === 'P') {
      const name = end(0);
      const text = end(name + 1);
      const types = Array.from({ length: body.readInt16BE(text + 1) }, (_, i) =>
        body.readInt32BE(text + 3 + 4 * i),
      );
      prepared.set(body.toString('utf8', 0, name), { text: body.toString('utf8', name + 1, text), types });
    }
    if (type === 'B') {
      const name = end(end(0) + 1);
      const statement = prepared.get(body.toString('utf8', end(0) + 1, name));
      const values = name + 3 + 2 * body.readInt16BE(name + 1);
      const length = body.readInt16BE(values) > 0 ? body.readInt32BE(values + 2) : -1;
      const first = length < 0 ? undefined : body.toString('utf8', values + 6, values + 6 + length);
      if (statement) executed(statement.text, statement.types, first);
    }
  };

  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      // The first message has no type.
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      if (isStarted) message(String.fromCharCode(rest[0] as number), rest.subarray(5, length));
      isStarted = true;
      rest = rest.subarray(length);
    }
  };
}
