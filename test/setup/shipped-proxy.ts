import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { root, testFolder } from './launch.ts';
import { poll } from './poll.ts';

/** A proxy whose configuration is in examples/deploy. */
export interface ShippedProxy {
  program: string;
  file: string;
  /** Returns the example for a test: with the addresses of the processes, and without TLS on a free port. */
  adapt(text: string, port: number, upstreams: string[], home: string): string;
  args(path: string): string[];
}

export const shippedProxies: ShippedProxy[] = [
  {
    program: 'nginx',
    file: 'nginx.conf',
    adapt: (text, port, upstreams, home) =>
      `daemon off; pid ${home}/pid; error_log ${home}/error.log;\n${text
        .replace(
          'http {',
          `http {\n  access_log off; client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy;`,
        )
        .replace(/ {2}server \{\n {4}listen 80;[^}]*\}\n/, '')
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replace(/^ *ssl_certificate.*\n/gm, '')
        .replace(/^( *)server 127\.0\.0\.1:8080(.*)$/m, (_, space, rest) =>
          upstreams.map((upstream) => `${space}server ${upstream}${rest}`).join('\n'),
        )}`,
    args: (path) => ['-c', path],
  },
  {
    program: 'haproxy',
    file: 'haproxy.cfg',
    adapt: (text, port, upstreams) =>
      text
        .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
        .replace(/^ *bind :443.*\n/m, '')
        .replace(/^ *http-request redirect.*\n/m, '')
        .replace(/^( *)server api1 127\.0\.0\.1:8080(.*)$/m, (_, space, rest) =>
          upstreams.map((upstream, n) => `${space}server api${n} ${upstream}${rest}`).join('\n'),
        ),
    args: (path) => ['-db', '-q', '-f', path],
  },
  {
    program: 'caddy',
    file: 'Caddyfile',
    adapt: (text, port, upstreams) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${text
        .replace('translate.example.com {', `http://127.0.0.1:${port} {`)
        .replace('reverse_proxy 127.0.0.1:8080', `reverse_proxy ${upstreams.join(' ')}`)}`,
    args: (path) => ['run', '--config', path, '--adapter', 'caddyfile'],
  },
];

/**
 * Starts a proxy in front of processes until the test ends.
 * @param upstreams host and port of each process
 * @returns the URL of the proxy; undefined, after printing the reason, if the proxy is not installed
 */
export async function startShippedProxy(
  { program, file, adapt, args }: ShippedProxy,
  upstreams: string[],
): Promise<string | undefined> {
  if (spawnSync(program, [program === 'caddy' ? 'version' : '-v']).error)
    return void console.log(`skipped: ${program} is not installed`);
  const home = await testFolder();
  const port = await freePort();
  const path = join(home, file);
  const shipped = readFileSync(join(root, 'examples/deploy', file), 'utf8');
  await writeFile(path, adapt(shipped, port, upstreams, home));
  const child = spawn(program, args(path), {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: home },
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const address = `http://127.0.0.1:${port}`;
  await poll(async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.ok, 60);
  return address;
}
