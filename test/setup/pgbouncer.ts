import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#db/embedded/secrets.ts';
import { poll } from './poll.ts';

/** The program at PGBOUNCER, or the system's. Debian installs it in a directory that is only in root's PATH. */
const program = [process.env['PGBOUNCER'] ?? 'pgbouncer', '/usr/sbin/pgbouncer'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

/** The reason for which tests with PgBouncer are skipped; undefined if they can run. */
export const withoutPgbouncer = program === undefined ? 'pgbouncer is not installed' : undefined;
if (withoutPgbouncer) console.warn(`tests of connection poolers are skipped: ${withoutPgbouncer}`);

export type PoolMode = 'session' | 'transaction' | 'statement';

/** A PgBouncer between the service and PostgreSQL. */
export interface Pgbouncer {
  /** The URL of the database through PgBouncer. */
  url: string;
  /** The value of `pooler` in DATABASE_POOLS. */
  address: string;
  /** Kills PgBouncer, as a crash would. */
  kill(): Promise<void>;
  /** Starts a killed PgBouncer again at the same address. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts PgBouncer in front of the database at `url`. The caller must remove it. */
export async function startPgbouncer(
  url: string,
  mode: PoolMode,
  settings: Record<string, string | number> = {},
): Promise<Pgbouncer> {
  const { hostname, port, username, password } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-pgbouncer-'));
  // PgBouncer does not run as root, so another user must be able to read its files.
  await chmod(folder, 0o755);
  const listen = await freePort();
  await writeFile(
    join(folder, 'users.txt'),
    `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`,
  );
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: listen,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    pool_mode: mode,
    default_pool_size: 40,
    // By default, it tries again only 15 s after PostgreSQL has refused a connection, for example during a recovery.
    server_login_retry: 1,
    // A waiting client whose process has closed its connection counts until then, so the default of 120 s uses up all.
    query_wait_timeout: 20,
    max_client_conn: 1000,
    ...settings,
  };
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${Object.entries(lines)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\n`,
  );
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  let kill = async () => {};
  const start = async () => {
    const child = spawn(program as string, ['-q', join(folder, 'pgbouncer.ini')], {
      stdio: 'ignore',
      ...nobody,
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    kill = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    await poll(() => accepts(listen));
  };
  await start();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(listen);
  return {
    url: through.href,
    address: `postgres://127.0.0.1:${listen}`,
    start,
    kill: () => kill(),
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
