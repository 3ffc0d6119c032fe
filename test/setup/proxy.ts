import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#db/embedded/secrets.ts';
import { poll } from './poll.ts';

/** Whether haproxy is installed. */
export function hasProxy(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0;
}

/**
 * Starts haproxy in front of several API processes. Requests go to the ready processes in turn. If a process is gone
 * before a request was sent to it, the request goes to another process. As in other tests, a client may set its own
 * address.
 * @param addresses the URLs of the processes
 */
export async function startProxy(addresses: string[]): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-proxy-'));
  const port = await freePort();
  const servers = addresses.map(
    (address, n) => `  server api${n} ${new URL(address).host} check inter 200ms fall 1 rise 1`,
  );
  const config = `
global
  maxconn 4000
defaults
  mode http
  option forwardfor if-none
  option redispatch
  retries 3
  retry-on conn-failure
  timeout connect 2s
  timeout client 120s
  timeout server 120s
frontend public
  bind 127.0.0.1:${port}
  default_backend apis
backend apis
  balance roundrobin
  option httpchk GET /readyz
${servers.join('\n')}
`;
  const path = join(folder, 'haproxy.cfg');
  await writeFile(path, config);
  const child = spawn('haproxy', ['-db', '-q', '-f', path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const address = `http://127.0.0.1:${port}`;
  await poll(async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.ok);
  return {
    address,
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
