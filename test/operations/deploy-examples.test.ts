import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { readSettings } from '#server/settings.ts';
import { env, founding } from '#test/factories.ts';
import { connect, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';

const folder = join(root, 'examples/deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const settings = readSettings({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });

/** Runs a program. Undefined, after printing the reason of the skip, if it is not installed. */
function judge(program: string, args: string[]): SpawnSyncReturns<string> | undefined {
  const run = spawnSync(program, args, { encoding: 'utf8' });
  if (run.error) console.log(`skipped: ${program} is not installed`);
  return run.error ? undefined : run;
}

const app = useTestApp({ env: { ...env, TRUST_PROXY: '1' } });

interface Proxy {
  program: string;
  file: string;
  /** Returns the example for a test: with the port of the application, and without TLS on a free port. */
  adapt(text: string, port: number, upstream: string, home: string): string;
  args(path: string): string[];
}

const proxies: Proxy[] = [
  {
    program: 'nginx',
    file: 'nginx.conf',
    adapt: (text, port, upstream, home) =>
      `daemon off; pid ${home}/pid; error_log ${home}/error.log;\n${text
        .replace(
          'http {',
          `http {\n  access_log off; client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy;`,
        )
        .replace(/ {2}server \{\n {4}listen 80;[^}]*\}\n/, '')
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replace(/^ *ssl_certificate.*\n/gm, '')
        .replace('server 127.0.0.1:8080;', `server ${upstream};`)}`,
    args: (path) => ['-c', path],
  },
  {
    program: 'haproxy',
    file: 'haproxy.cfg',
    adapt: (text, port, upstream) =>
      text
        .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
        .replace(/^ *bind :443.*\n/m, '')
        .replace(/^ *http-request redirect.*\n/m, '')
        .replace('server api1 127.0.0.1:8080', `server api1 ${upstream}`),
    args: (path) => ['-db', '-q', '-f', path],
  },
  {
    program: 'caddy',
    file: 'Caddyfile',
    adapt: (text, port, upstream) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${text
        .replace('translate.example.com {', `http://127.0.0.1:${port} {`)
        .replace('reverse_proxy 127.0.0.1:8080', `reverse_proxy ${upstream}`)}`,
    args: (path) => ['run', '--config', path, '--adapter', 'caddyfile'],
  },
];

describe.each(proxies)('examples/deploy/$file', ({ program, file, adapt, args }) => {
  /** Starts the proxy in front of the application. Undefined if it is not installed. */
  async function start() {
    if (!judge(program, [program === 'caddy' ? 'version' : '-v'])) return undefined;
    const home = await testFolder();
    const port = await freePort();
    const path = join(home, file);
    await writeFile(path, adapt(read(file), port, new URL(app.address).host, home));
    const child = spawn(program, args(path), {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], HOME: home },
    });
    onTestFinished(async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    const address = `http://127.0.0.1:${port}`;
    await poll(async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.ok, 10);
    return connect(address);
  }

  test('passes requests, the address of the client, and uploads up to the limit of the service', async () => {
    const proxy = await start();
    if (!proxy) return;
    const body = founding();
    const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
    const signup = await proxy.json('POST', '/api/auth/signup/email', { body, headers });
    expect(signup.status).toBe(200);
    const events = await openSuperuser(app.superuserUrl)`
      select distinct address from audit_log where tenant_id = ${signup.body.account.id}`;
    // The client cannot choose its address: the proxy adds the real one behind it.
    expect(events.map((row) => row['address'])).toEqual(['127.0.0.1']);

    const key = { 'x-api-key': signup.body.tenant_api_key };
    const upload = (bytes: number) => {
      const form = new FormData();
      form.append('source_document', new File([new Uint8Array(bytes)], 'large.pdf'));
      form.append('target_lang', 'fr');
      return proxy.request('/api/documents/translate', { method: 'POST', headers: key, body: form });
    };
    // Larger than the default limits of proxies. The service reads the file later.
    expect((await upload(8_000_000)).status).toBe(202);
    const tooLarge = await upload(settings.MAX_UPLOAD_BYTES + 1);
    expect([tooLarge.status, await tooLarge.json()]).toEqual([
      413,
      expect.objectContaining({ detail: expect.any(String) }),
    ]);
  });

  test('has timeouts that are longer than the deadline of a request', () => {
    const text = read(file);
    const timeouts = [
      ...text.matchAll(
        /(proxy_(?:read|send)_timeout|timeout (?:client|server)|response_header_timeout) (\d+)s/g,
      ),
    ];
    expect(timeouts.length).toBeGreaterThan(0);
    for (const [, name, seconds] of timeouts)
      expect(Number(seconds), name).toBeGreaterThan(settings.REQUEST_DEADLINE_SECONDS + 30);
    expect(text).toContain(`127.0.0.1:${settings.PORT}`);
    expect(text).not.toContain('9464');
  });
});

describe('the systemd units in examples/deploy', () => {
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'));

  test('are valid', async () => {
    expect(units).toHaveLength(3);
    const home = await testFolder();
    for (const name of units)
      await writeFile(
        join(home, name),
        read(name).replaceAll('ExecStart=/opt/lingualoop', `ExecStart=${root}`),
      );
    const verified = judge('systemd-analyze', ['verify', ...units.map((name) => join(home, name))]);
    if (!verified) return;
    expect([verified.status, verified.stderr]).toEqual([0, '']);
  });

  test('start programs that exist, and give a stopping process 300 seconds', () => {
    for (const name of units) {
      const [, ...command] = /^ExecStart=\/opt\/lingualoop\/(\S+) (\S+)/m.exec(read(name)) ?? [];
      expect(command).toHaveLength(2);
      for (const file of command) expect(readFileSync(join(root, file)).length, file).toBeGreaterThan(0);
      if (!name.includes('migrate')) expect(read(name)).toContain('TimeoutStopSec=300');
    }
  });
});
