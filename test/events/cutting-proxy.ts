import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy in front of the service that cuts connections. */
export interface CuttingProxy {
  address: string;
  /** Resets all connections. Returns their number. */
  cut(): number;
  /** Forwards new connections to another process. */
  moveTo(address: string): void;
}

/** Starts the proxy. It is closed after the current test. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  let to = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    const end = () => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    open.add(client);
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    const count = open.size;
    for (const client of open) client.resetAndDestroy();
    return count;
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    moveTo(address) {
      to = new URL(address);
    },
  };
}
