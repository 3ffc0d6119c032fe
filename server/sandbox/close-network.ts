import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Closes what Node's modules offer of the network, in this thread: connecting, listening, sending and names. It stops a
 * library that fetches what a file names, on every system; code that was made to break out is stopped by
 * the kernel alone (`network-barrier.ts`).
 */
export function closeNetwork(): void {
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen']);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send']);
  const isQuestion = (name: string): boolean => /^(?:lookup|resolve|reverse)/.test(name);
  for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    close(names, Object.getOwnPropertyNames(names).filter(isQuestion));
  // Named imports of these modules, too.
  syncBuiltinESMExports();
}

function close(owner: object, names: readonly string[]): void {
  for (const name of names) Object.defineProperty(owner, name, { value: refuse, writable: false });
}

function refuse(): never {
  throw Object.assign(new Error('a task has no network'), { code: 'ERR_ACCESS_DENIED' });
}
