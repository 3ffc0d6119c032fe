import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { pick, type Random, seededRandom } from '#test/bench/seeded-random.ts';
import { connect, type Signup } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { s3Credentials } from '#test/storage/s3-server.ts';
import { startSwift } from '#test/storage/swift.ts';
import { runVerify } from '#test/storage/verify.ts';
import { translate } from '#test/translations/live.ts';
import type { Queries } from './cluster.ts';
import { startLoad, startLoadedModel } from './load.ts';
import { address, type Host, hosts, type Network, openNetwork } from './network.ts';
import { verify } from './verify.ts';

const port = 4820;
/** Milliseconds after which a client repeats a request, and for which it then avoids the host. */
const patience = { request: 15_000, host: 3000 };

export interface HostsReport {
  /** For each kill, the requests or jobs that the killed process had in progress. */
  kills: { victim: string; inProgress: number }[];
  /** The number of responses of the bucket to writes that were lost. */
  lostResponses: number;
  cuts: Cut[];
  /** Responses by kind and status. */
  counts: Record<string, number>;
  /** What is wrong afterwards; empty if nothing is. */
  wrong: string[];
}

/** How the other host was affected when host b was cut off, in seconds. Connections of a start last longer. */
interface Cut {
  duration: number;
  /** Transactions of b that were open. */
  transactions: number;
  /** After the cut: the end of the last of these transactions, and of the last connection of b. */
  transactionsEnded: number | null;
  connectionsEnded: number | null;
  /** The longest time for which a workspace got no translation from a. */
  longestPause: number;
}

/**
 * Runs the service on two hosts, which share a PostgreSQL server and a bucket of a real S3 server. Kills its processes
 * under load, cuts one host off twice, loses responses of the bucket, and verifies that nothing was lost or doubled.
 */
export async function runHosts(
  { kills, seed, cutSeconds }: { kills: number; seed: number; cutSeconds: number },
  print: (line: string) => void,
): Promise<HostsReport> {
  const random = seededRandom(seed);
  await using ends = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-hosts-'));
  ends.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const network = openNetwork();
  ends.defer(() => network.close());
  const database = await joinEmbeddedPostgres(join(folder, 'database'));
  ends.defer(() => database.leave());
  await migrate(database.ownerUrl, { service: new URL(database.url).username });
  await using model = await startLoadedModel(random, { failing: 0.02, latencyMs: 150, translate });
  const swift = await startSwift();
  ends.defer(() => swift.stop());
  const { username, password } = new URL(database.superuserUrl);
  const superuserUrl = Object.assign(new URL(database.url), { username, password }).href;
  const sql = postgres(superuserUrl, { max: 2, onnotice: () => {} });
  ends.defer(() => sql.end({ timeout: 1 }));
  const report: HostsReport = { kills: [], lostResponses: 0, cuts: [], counts: {}, wrong: [] };
  const cluster: Queries = { query: async (ask) => [...(await ask(sql))] };
  const env = {
    ...s3Credentials,
    ...model.settings,
    DATABASE_URL: database.url,
    PLATFORM_STORAGE_URL: swift.url,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_POOLS: '{"requests":5,"jobs":4}',
    WORKER_CONCURRENCY: '3',
    // Longer than a host is cut off: after this time, a process may not complete what it had begun before.
    STALE_PENDING_SECONDS: String(cutSeconds + 60),
    SWEEP_INTERVAL_SECONDS: '5',
  };
  const processes = createProcesses(network, env, folder, sql);
  ends.defer(() => processes.destroy());
  const parts = { network, sql, processes };
  const bucketPort = Number(new URL(/endpoint=([^&]*)/.exec(swift.url)?.[1] ?? '').port);
  // The addresses of the hosts may connect, as the one of this process.
  await appendFile(
    join(folder, 'database/postgres/pg_hba.conf'),
    'host all all 10.77.0.0/24 scram-sha-256\n',
  );
  await sql`select pg_reload_conf()`;
  for (const host of hosts) for (const part of ['api', 'worker'] as const) await processes.start(host, part);
  await sql.unsafe(`${slowdown(false)};
    create trigger slow_host before insert on translation_jobs for each row execute function slow_host()`);
  const balancer = balanceLoad(random);
  const load = await startLoad(connect('http://any', balancer.send), 8, random);
  report.counts = load.answers.counts;
  const begun: Promise<unknown>[] = [];
  for (let n = 1; n <= kills; n++) {
    if (n % 10 === 5) begun.push(loseResponses(network, hosts[Math.floor(n / 10) % 2]!, bucketPort));
    if (n === Math.ceil(kills / 3))
      report.cuts.push(await cutOff(parts, load.tenants, cutSeconds, report.wrong));
    if (n === Math.ceil((2 * kills) / 3)) {
      // As if the host had lost its power: the connections of its processes do not end.
      const cutting = cutOff(parts, load.tenants, cutSeconds, report.wrong, () => processes.killAll('b'));
      begun.push(cutting.then((cut) => report.cuts.push(cut)));
    }
    await delay(100 + random() * 400);
    const killed = await processes.killBusy(random, balancer.inProgress);
    report.kills.push(killed);
    print(`${n}. ${killed.victim}, with ${killed.inProgress} in progress`);
  }
  await Promise.all(begun);
  await processes.started();
  await load.stop();
  report.lostResponses = hosts.reduce((sum, host) => sum + network.lostResponses(host), 0);
  const busy = report.kills.filter(({ inProgress }) => inProgress > 0).length;
  if (busy < kills / 2)
    report.wrong.push(`only ${busy} of ${kills} kills hit a process with work in progress`);
  if (kills >= 50 && report.lostResponses === 0) report.wrong.push('no response of the bucket was lost');
  report.wrong.push(...(await verify(cluster, load, connect(`http://${address.a}:${port}`), swift.open())));
  report.wrong.push(...(await agreed(env, folder)));
  report.wrong.push(...(await processes.stop()));
  return report;
}

/** Sends each request to one of the hosts, as a load balancer does: for some seconds, not to one that did not respond. */
function balanceLoad(random: Random) {
  const inProgress: Record<Host, number> = { a: 0, b: 0 };
  const avoided: Record<Host, number> = { a: 0, b: 0 };
  return {
    inProgress,
    async send(url: string, init: RequestInit = {}): Promise<Response> {
      const usable = hosts.filter((host) => avoided[host] < Date.now());
      const host = pick(usable.length > 0 ? usable : hosts, random);
      inProgress[host] += 1;
      try {
        return await fetch(url.replace('http://any', `http://${address[host]}:${port}`), {
          ...init,
          signal: AbortSignal.timeout(patience.request),
        });
      } catch (error) {
        avoided[host] = Date.now() + patience.host;
        throw error;
      } finally {
        inProgress[host] -= 1;
      }
    },
  };
}

type Part = 'api' | 'worker';

/** The processes of both hosts. Each one that was killed is started again, like by a supervisor. */
function createProcesses(network: Network, env: Record<string, string>, folder: string, sql: postgres.Sql) {
  const running = new Map<string, { host: Host; part: Part; service: RunningService }>();
  const starting = new Set<Promise<void>>();
  let isEnding = false;
  /** The queue's names of the workers of a host. */
  const pools: Record<Host, Set<string>> = { a: new Set(), b: new Set() };
  const onHosts = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replaceAll('127.0.0.1', address.services)]),
  );
  /** Assigns the names that have appeared since the last call to a host. @returns whether there are any */
  const learnPools = async (host: Host) => {
    const reported = await sql<{ id: string }[]>`select worker_id as id from worker_heartbeats`;
    const fresh = reported.filter(({ id }) => !pools.a.has(id) && !pools.b.has(id));
    for (const { id } of fresh) pools[host].add(id);
    return fresh.length > 0;
  };
  const start = async (host: Host, part: Part) => {
    const settings = { ...onHosts, HOST: address[host], PORT: String(port), DATA_DIR: join(folder, host) };
    const [file = '', ...args] = part === 'api' ? ['server/main.ts', '--api-only'] : ['workers/main.ts'];
    const service = await poll(
      () => startService(settings, file, args, network.on(host)).catch(() => isEnding && undefined),
      300,
    );
    running.set(part + host, { host, part, service: service as RunningService });
    if (part === 'worker') await poll(() => learnPools(host), 20).catch(() => {});
  };
  const startSoon = (host: Host, part: Part) => {
    const done = start(host, part).finally(() => starting.delete(done));
    starting.add(done);
  };
  const kill = async ({ host, part, service }: { host: Host; part: Part; service: RunningService }) => {
    running.delete(part + host);
    await service.stop('SIGKILL');
    startSoon(host, part);
  };
  return {
    start,
    /** Waits until no process is starting. */
    started: async () => void (await Promise.all(starting)),
    /** Kills a process, if possible one that has requests or jobs in progress. */
    async killBusy(random: Random, requests: Record<Host, number>) {
      for (let tries = 0; ; tries++) {
        const all = [...running.values()];
        const one = all.length > 0 ? pick(all, random) : undefined;
        if (one) {
          const inProgress = one.part === 'api' ? requests[one.host] : await runningJobs(one.host);
          if ((inProgress > 0 || tries > 20) && running.has(one.part + one.host)) {
            await kill(one);
            return { victim: `${one.part} ${one.host}`, inProgress };
          }
        }
        await delay(100);
      }
    },
    killAll: (host: Host) => Promise.all([...running.values()].filter((one) => one.host === host).map(kill)),
    /** Stops all, and returns what did not end well. */
    async stop(): Promise<string[]> {
      const codes = await Promise.all([...running.values()].map(({ service }) => service.stop('SIGTERM')));
      running.clear();
      return codes.some((code) => code !== 0) ? [`ended with ${codes}`] : [];
    },
    async destroy() {
      isEnding = true;
      await Promise.allSettled(starting);
      await Promise.all([...running.values()].map(({ service }) => service.stop('SIGKILL')));
    },
  };

  async function runningJobs(host: Host): Promise<number> {
    const locked = await sql<{ by: string }[]>`
      select locked_by as by from graphile_worker._private_jobs where locked_at is not null`;
    return locked.filter(({ by }) => pools[host].has(by)).length;
  }
}

/** Loses the responses of the bucket to writes of a host, until there was one, or for a minute. */
async function loseResponses(network: Network, host: Host, bucketPort: number): Promise<void> {
  const before = network.lostResponses(host);
  network.loseResponses(host, bucketPort);
  await poll(async () => network.lostResponses(host) > before).catch(() => {});
  network.deliverResponses(host);
}

/** Makes each admission of texts by host b take some seconds, so that it has open transactions. */
const slowdown = (
  isOn: boolean,
) => `create or replace function slow_host() returns trigger language plpgsql as
  $$ begin if ${isOn} and inet_client_addr() = '${address.b}' then perform pg_sleep(2); end if; return new; end $$`;

/**
 * Cuts host b off while it has open transactions, and measures how that affects texts that are sent to host a.
 * @param wrong gets an error if PostgreSQL keeps connections of b
 * @param then called as soon as it is cut off
 */
async function cutOff(
  { network, sql }: { network: Network; sql: postgres.Sql },
  tenants: readonly Signup[],
  seconds: number,
  wrong: string[],
  then: () => unknown = () => {},
): Promise<Cut> {
  const connections = () => sql<{ open: boolean; waits: boolean }[]>`
    select xact_start is not null as open, wait_event = 'PgSleep' as waits
    from pg_stat_activity where client_addr = ${address.b}::inet
      and application_name not in ('lingualoop start', 'lingualoop migrate')`;
  const opened = async () => (await connections()).filter(({ open }) => open).length;
  await sql.unsafe(slowdown(true));
  await poll(async () => (await connections()).some(({ waits }) => waits), 240);
  network.cut('b');
  const begin = performance.now();
  const since = () => Math.round((performance.now() - begin) / 100) / 10;
  const cut: Cut = {
    duration: seconds,
    transactions: await opened(),
    transactionsEnded: null,
    connectionsEnded: null,
    longestPause: 0,
  };
  await then();
  await sql.unsafe(slowdown(false));
  const app = connect(`http://${address.a}:${port}`);
  const probe = async ({ headers }: Signup, index: number) => {
    let last = since();
    for (let n = 0; since() < seconds; n++) {
      const body = { source_text: `Probe ${index} ${n} at ${begin}`, target_lang: 'de' };
      const sent = await app.json('POST', '/api/translations', { headers, body }).catch(() => undefined);
      cut.longestPause = Math.max(cut.longestPause, since() - last);
      if (sent?.status === 200) last = since();
      else await delay(100);
    }
  };
  const watch = async () => {
    while (since() < seconds) {
      const left = await connections();
      if (!left.some(({ open }) => open)) cut.transactionsEnded ??= since();
      if (left.length === 0) cut.connectionsEnded ??= since();
      await delay(200);
    }
  };
  await Promise.all([watch(), ...tenants.map(probe)]);
  network.join('b');
  // Their locks delay requests at the other host.
  if (cut.connectionsEnded === null) wrong.push(`a host was cut off, and has connections ${seconds} s later`);
  return cut;
}

/** Files that a killed worker has left: the service removes them some hours later. */
const left = /^in progress: file whose database row may not be stored yet: \d+;/;

/** Waits until the storage agrees with the database and no object may still be needed; returns what differs. */
async function agreed(env: Record<string, string>, folder: string): Promise<string[]> {
  let last: Awaited<ReturnType<typeof runVerify>> | undefined;
  const isComplete = async () => {
    last = await runVerify({ ...env, DATA_DIR: join(folder, 'verify') });
    return last.code === 0 && !last.counts.some((line) => line.startsWith('in progress') && !left.test(line));
  };
  return poll(isComplete, Number(env['STALE_PENDING_SECONDS']) + 120).then(
    // The command accepts lines that a manifest has twice.
    () => (last?.found ?? []).map((fields) => fields.join(' ')),
    () => [`storage and database differ: ${JSON.stringify(last)}`],
  );
}
