import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  isRunning,
  leftovers,
  log,
  member,
  postmaster,
  query,
  serverStarts,
  stopCleanly,
  until,
  useDataFolder,
  usePrepared,
} from './members.ts';

const here = useDataFolder();

describe('a first start', () => {
  it('makes a durable, local PostgreSQL, in a relative folder with any name', async () => {
    here.dataDir = join(here.base, 'da ta ü');
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

  it('accepts only the password, which only the owner can read', async () => {
    usePrepared();
    const { url, superuserUrl } = await member().joined;
    for (const address of [url, superuserUrl]) {
      const wrong = new URL(address);
      wrong.password = 'wrong';
      await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    }
    expect(fs.statSync(join(here.dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
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
    const drafts = () =>
      (fs.existsSync(here.dataDir) ? leftovers() : []).map((name) => join(here.dataDir, name));
    await until(() => drafts().some((draft) => fs.existsSync(join(draft, 'cluster/PG_VERSION'))));
    process.kill(-victim.process.pid!, 'SIGKILL');
    await victim.exited;
    expect(fs.existsSync(join(here.dataDir, 'postgres'))).toBe(false);
    const secrets = fs.readFileSync(join(here.dataDir, 'postgres.json'), 'utf8');
    const { url } = await member().joined;
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(fs.readFileSync(join(here.dataDir, 'postgres.json'), 'utf8')).toBe(secrets);
    expect(leftovers()).toEqual([]);
  });
});

it('a process that has no CPU until the time is over joins the server that it has started', async () => {
  usePrepared();
  const body = `
    const { readFileSync } = await import('node:fs');
    const isReady = () => /^ready/m.test(readFileSync(dataDir + '/postgres/postmaster.pid', 'utf8'));
    const now = Date.now;
    const onIdle = () => {
      for (const began = now(); now() - began < 10_000; )
        try {
          if (isReady()) break;
        } catch {}
      Date.now = () => now() + 60_000;
    };
    const db = await joinEmbeddedPostgres(dataDir, { onIdle });
    say({ joined: { superuserUrl: db.superuserUrl } });
    await db.leave();`;
  const { joined, exited } = member(here.dataDir, { body });
  expect((await joined).superuserUrl).toContain('127.0.0.1');
  expect(await exited).toBe(0);
});

describe('a start that cannot succeed', () => {
  it('names DATABASE_URL on a platform without programs', async () => {
    const before = `Object.defineProperty(process, 'arch', { value: 'riscv64' });`;
    await expect(member(here.dataDir, { before }).joined).rejects.toThrow(/riscv64.*DATABASE_URL/);
  });

  it('names a data folder that is a file', async () => {
    fs.writeFileSync(here.dataDir, '');
    await expect(member().joined).rejects.toThrow(`The data directory ${here.dataDir} cannot be used`);
  });

  it('quotes the last lines of the log', async () => {
    usePrepared();
    fs.appendFileSync(join(here.dataDir, 'postgres/postgresql.conf'), 'no_such_setting = 1\n');
    const { joined } = member();
    await expect(joined).rejects.toThrow(join(here.dataDir, 'postgres.log'));
    await expect(joined).rejects.toThrow('no_such_setting');
    expect(leftovers()).toEqual([]);
  });
});

it('a log larger than 10 MB starts anew, a smaller one does not', async () => {
  await stopCleanly();
  await stopCleanly();
  expect(serverStarts()).toBe(2);
  fs.truncateSync(join(here.dataDir, 'postgres.log'), 10 * 1024 * 1024 + 1);
  await stopCleanly();
  expect(serverStarts()).toBe(1);
});
