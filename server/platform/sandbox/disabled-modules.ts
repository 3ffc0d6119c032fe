import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';

/**
 * Disables functions of Node's modules that Node's permissions do not cover: connecting, listening, sending, name
 * lookups, and signals to other processes. On every system, this stops a library that loads the URLs in a file. Code
 * that breaks out of Node can only be stopped by the kernel (`isolation.ts`).
 */
export function disableModules(): void {
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen']);
  close(net, ['_createServerHandle']);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send']);
  close(dgram, ['_createSocketHandle']);
  const isQuestion = (name: string): boolean => /^(?:lookup|resolve|reverse)/.test(name);
  for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    close(names, Object.getOwnPropertyNames(names).filter(isQuestion));
  close(process, ['kill', '_kill', '_debugProcess', '_debugEnd', 'binding', 'dlopen']);
  close(os, ['setPriority']);
  // Makes the change effective for named imports of these modules, too.
  syncBuiltinESMExports();
}

function close(owner: object, names: readonly string[]): void {
  for (const name of names) Object.defineProperty(owner, name, { value: refuse, writable: false });
}

function refuse(): never {
  throw Object.assign(new Error('code that reads files may not use the network or send signals'), {
    code: 'ERR_ACCESS_DENIED',
  });
}
