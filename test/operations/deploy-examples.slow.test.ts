import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSettings } from '#server/settings.ts';
import { env, founding } from '#test/factories.ts';
import { connect, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { shippedProxies, startShippedProxy } from '#test/setup/shipped-proxy.ts';

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

describe.each(shippedProxies)('examples/deploy/$file', (proxy) => {
  const { file } = proxy;
  /** Starts the proxy in front of the application. Undefined if it is not installed. */
  const start = async () => {
    const address = await startShippedProxy(proxy, [new URL(app.address).host]);
    return address && connect(address);
  };

  test('passes requests, the address of the client, and uploads up to the limit of the service', async () => {
    const proxied = await start();
    if (!proxied) return;
    const body = founding();
    const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
    const signup = await proxied.json('POST', '/api/auth/signup/email', { body, headers });
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
      return proxied.request('/api/documents/translate', { method: 'POST', headers: key, body: form });
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
