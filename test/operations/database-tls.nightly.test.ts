import { execFile, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { launch } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';

const run = promisify(execFile);
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('skipped: the tests of TLS to the database need openssl\n');

/** A PostgreSQL server with a self-signed certificate for localhost. */
let server: EmbeddedPostgres;
let folder: string;
let NODE_EXTRA_CA_CERTS: string;

beforeAll(async () => {
  if (!hasOpenssl) return;
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-tls-'));
  server = await joinEmbeddedPostgres(join(folder, 'data'));
  const cluster = join(folder, 'data/postgres');
  const key = join(cluster, 'server.key');
  NODE_EXTRA_CA_CERTS = join(cluster, 'server.crt');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', NODE_EXTRA_CA_CERTS];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files]);
  const { uid, gid } = await stat(cluster);
  for (const file of [key, NODE_EXTRA_CA_CERTS]) await chown(file, uid, gid);
});

afterAll(async () => {
  if (!hasOpenssl) return;
  await server.leave();
  await rm(folder, { recursive: true, force: true });
});

async function switchTls(state: 'on' | 'off'): Promise<void> {
  const sql = openSuperuser(server.superuserUrl);
  await sql.unsafe(`alter system set ssl = ${state}`);
  await sql`select pg_reload_conf()`;
  await poll(async () => (await sql`show ssl`)[0]?.['ssl'] === state);
}

function envOf(sslmode: string, more: Record<string, string> = {}): Record<string, string> {
  const url = new URL(server.ownerUrl);
  url.hostname = 'localhost';
  url.searchParams.set('sslmode', sslmode);
  return { DATABASE_URL: url.href, SECRETS_KEY, DATA_DIR: join(folder, 'storage'), ...more };
}

/** Runs a script until it ends, and returns its output. */
async function output(script: string, env: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await launch([script], env).ended;
  return stdout + stderr;
}

test.skipIf(!hasOpenssl).each([
  ['require', false],
  ['verify-full', true],
])(
  'with sslmode=%s every connection is encrypted, by both drivers, and the doctor has no doubt',
  async (sslmode, hasAuthority) => {
    await switchTls('on');
    const env = envOf(sslmode, hasAuthority ? { NODE_EXTRA_CA_CERTS } : {});
    const service = await startService(env);
    onTestFinished(async () => void (await service.stop('SIGKILL')));
    const connections = await openSuperuser(server.superuserUrl)<{ name: string; encrypted: boolean }[]>`
      select application_name as name, bool_and(ssl) as encrypted from pg_stat_activity join pg_stat_ssl using (pid)
      where usename = ${new URL(server.ownerUrl).username} and application_name <> '' group by 1`;
    const names = connections.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['lingualoop probe', 'lingualoop queue']));
    expect(connections.filter(({ encrypted }) => !encrypted)).toEqual([]);
    expect(await output('server/commands/doctor/main.ts', env)).toMatch(
      /^(All checks passed|No check has failed)/m,
    );
    expect(await service.stop()).toBe(0);
  },
);

test.skipIf(!hasOpenssl)(
  'a certificate of an unknown authority and a server without TLS are told with DATABASE_URL',
  async () => {
    await switchTls('on');
    const unknown =
      /DATABASE_URL: cannot connect to the database .* set NODE_EXTRA_CA_CERTS to the file of the authority's certificate/;
    expect(await output('server/commands/migrate.ts', envOf('verify-full'))).toMatch(unknown);
    expect(await output('server/commands/doctor/main.ts', envOf('verify-full'))).toMatch(unknown);
    await switchTls('off');
    expect(await output('server/commands/migrate.ts', envOf('require'))).toMatch(
      /DATABASE_URL: .* it may not support TLS \(\w+\)/,
    );
  },
);
