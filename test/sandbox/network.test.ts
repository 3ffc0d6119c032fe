import dgram from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findNetworkIsolation, type NetworkIsolation } from '#server/sandbox/network-namespace-seccomp.ts';
import { openTestSandbox } from './open-sandbox.ts';

/** A listener at TCP and UDP, and what reached it. */
async function listen() {
  const reached: string[] = [];
  const server = createServer((socket) => {
    reached.push('tcp');
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  }).listen(0, '127.0.0.1');
  const names = dgram.createSocket('udp4').on('message', () => reached.push('udp'));
  names.bind(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(names, 'listening')]);
  onTestFinished(() => {
    server.close();
    names.close();
  });
  return {
    reached,
    ports: { tcp: (server.address() as { port: number }).port, names: names.address().port },
  };
}

let isolation: NetworkIsolation;
beforeAll(async () => {
  isolation = await findNetworkIsolation();
});

describe('a task has no network', () => {
  it('through Node’s APIs, on any system', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const { reached, ports } = await listen();
    const refused = 'ERR_ACCESS_DENIED';
    expect(await sandbox.run('network', ports)).toEqual({
      tcp: refused,
      fetch: refused,
      name: refused,
      hosts: refused,
      datagram: refused,
      listen: refused,
    });
    expect(reached).toEqual([]);
    expect(await sandbox.run('echo', 'still there')).toBe('still there');
  });

  it('by the kernel, in a thread if Node offers it, where the system allows that', async ({ skip }) => {
    if (isolation.by === 'none') {
      console.warn('skipped: this system allows neither a network namespace nor a seccomp filter');
      skip();
    }
    const sandbox = openTestSandbox({ processes: 1 });
    const { reached, ports } = await listen();
    const attempted = await sandbox.run('networkOfThread', ports);
    const { tcp, fetch, name, hosts, datagram } = attempted;
    for (const way of [tcp, fetch, name, hosts, datagram]) expect(way).toMatch(/^(E|ENOTFOUND)/);
    expect(reached).toEqual([]);
    expect(await sandbox.run('echo', 'still there')).toBe('still there');
  });

  it('a system without the needed programs runs without the block, and says so', async () => {
    expect(await findNetworkIsolation([])).toEqual({ by: 'none', command: [], untried: false });
    // A program of that name that blocks nothing is rejected.
    if (process.platform === 'linux')
      expect((await findNetworkIsolation(['/proc/self/root/nowhere'])).by).toBe('none');
  });
});
