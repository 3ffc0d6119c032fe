import dgram from 'node:dgram';
import { lookup, Resolver } from 'node:dns';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Ports of 127.0.0.1 on which a program listens. */
export interface Listeners {
  tcp: number;
  /** The UDP port of a name server. */
  names: number;
}

/** The result of each way to use the network: `open`, or the code of the error. */
export type NetworkAttempts = Record<'tcp' | 'fetch' | 'name' | 'hosts' | 'datagram' | 'listen', string>;

/** Tries each way to use the network. */
export async function tryNetwork({ tcp, names }: Listeners): Promise<NetworkAttempts> {
  return {
    tcp: await attempt(async () => void (await once(connect(tcp, '127.0.0.1'), 'connect'))),
    fetch: await attempt(async () => void (await fetch(`http://127.0.0.1:${tcp}/`))),
    name: await attempt(async () => {
      const resolver = new Resolver({ timeout: 300, tries: 1 });
      resolver.setServers([`127.0.0.1:${names}`]);
      await new Promise<void>((resolve, reject) =>
        resolver.resolve4('example.org', (error) => (error ? reject(error) : resolve())),
      );
    }),
    hosts: await attempt(
      () =>
        new Promise<void>((resolve, reject) =>
          lookup('example.invalid', (error) => (error ? reject(error) : resolve())),
        ),
    ),
    datagram: await attempt(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = dgram.createSocket('udp4').on('error', reject);
          socket.send('x', names, '127.0.0.1', (error) => (error ? reject(error) : resolve()));
        }),
    ),
    listen: await attempt(async () => void (await once(createServer().listen(0, '127.0.0.1'), 'listening'))),
  };
}

async function attempt(way: () => Promise<void>): Promise<string> {
  try {
    await way();
    return 'open';
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } };
    return code ?? cause?.code ?? String(error);
  }
}
