import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { pick, type Random, seededRandom, shuffled } from '#test/bench/seeded-random.ts';
import { atItsPath, embeddings } from '#test/fakes/embeddings.ts';
import { failure, type Reply, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { connect } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { s3Credentials } from '#test/storage/s3-server.ts';
import { startSwift } from '#test/storage/swift.ts';
import { runVerify } from '#test/storage/verify.ts';
import { models, translate } from '#test/translations/live.ts';
import type { Queries } from './cluster.ts';
import { startLoad } from './load.ts';
import { address, type Host, hosts, type Network, openNetwork } from './network.ts';
import { verify } from './verify.ts';

const port = 4820;
/** Milliseconds after which a client repeats a request, and for which it then avoids the host. */
const patience = { request: 15_000, host: 3000 };

export interface HostsReport {
  /** For each kill, the requests or jobs that the killed process had in progress. */
  kills: { victim: string; busy: number }[];
  /** Answers of the bucket to writes that were lost. */
  lostAnswers: number;
  cuts: Cut[];
  /** Responses by kind and status. */
  counts: Record<string, number>;
  /** What is wrong afterwards; empty if nothing is. */
  wrong: string[];
}

/** How the other host was affected when host b was cut off. Seconds. */
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
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-hosts-'));
  const network = openNetwork();
  const database = await joinEmbeddedPostgres(join(folder, 'database'));
  await migrate(database.ownerUrl, { service: new URL(database.url).username });
  await using model = await startFakeOpenAi();
  const good = translatingReply({ translate: (text) => translate(text), latencyMs: 150 });
  const chat: Reply = (response, request) => (random() < 0.02 ? failure(400) : good)(response, request);
  model.otherwise(atItsPath(embeddings(), chat));
  const swift = await startSwift();
  const { username, password } = new URL(database.superuserUrl);
  const superuserUrl = Object.assign(new URL(database.url), { username, password }).href;
  const sql = postgres(superuserUrl, { max: 2, onnotice: () => {} });
  const report: HostsReport = { kills: [], lostAnswers: 0, cuts: [], counts: {}, wrong: [] };
  const cluster: Queries = { query: async (ask) => [...(await ask(sql))] };
  const env = {
    ...s3Credentials,
    DATABASE_URL: database.url,
    PLATFORM_STORAGE_URL: swift.url,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_POOLS: '{"requests":5,"jobs":4}',
    WORKER_CONCURRENCY: '3',
    LOG_LEVEL: process.env['FAULTS_LOG'] ?? 'silent',
    AUTH_RATE_LIMIT_ENABLED: 'false',
    ACCESS_TOKEN_TTL_SECONDS: '100000',
    // Longer than a host is cut off: after that, a process may not go on with what it had begun before.
    STALE_PENDING_SECONDS: String(cutSeconds + 60),
    SWEEP_INTERVAL_SECONDS: '5',
    TM_ASYNC_THRESHOLD: '50',
    TRIAL_CHARS: '100000000',
    TRIAL_GRANTS_PER_ADDRESS: '100',
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
    OPENAI_API_KEY: 'sk-faults',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_MODEL: models.translator,
    OPENAI_REFINER_MODEL: models.refiner,
    OPENAI_MAX_RETRIES: '0',
  };
  const processes = await startProcesses(network, env, folder, sql);
  try {
    // The addresses of the hosts may connect, as the one of this process.
    await appendFile(join(folder, 'database/postgres/pg_hba.conf'), 'host all all 10.77.0.0/24 scram-sha-256\n');
    await sql`select pg_reload_conf()`;
    for (const host of hosts) for (const part of ['api', 'worker'] as const) await processes.start(host, part);
    const balancer = balanceLoad(random);
    const load = await startLoad(connect('http://any', balancer.send), 8, random);
    report.counts = load.answers.counts;
    const order = shuffled(
      Array.from({ length: kills }, (_, n) => [hosts[n % 2]!, n % 4 < 2 ? 'api' : 'worker'] as const),
      random,
    );
    for (const [n, [host, part]] of order.entries()) {
      await delay(200 + random() * 800);
      const busy = part === 'api' ? balancer.inProgress[host] : await processes.runningJobs(host);
      report.kills.push({ victim: `${part} ${host}`, busy });
      print(`${n + 1}. ${part} ${host}, with ${busy} in progress`);
      await processes.kill(host, part);
      await processes.start(host, part);
    }
    await load.stop();
    report.wrong.push(...(await verify(cluster, load, connect(`http://${address.a}:${port}`), swift.open())));
    report.wrong.push(...(await agreed(env, folder)));
    report.wrong.push(...(await processes.stop()));
  } finally {
    await processes.destroy();
    await sql.end({ timeout: 1 });
    await database.leave();
    await swift.stop();
    network.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
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

/** The processes of both hosts. */
async function startProcesses(
  network: Network,
  env: Record<string, string>,
  folder: string,
  sql: postgres.Sql,
) {
  const running = new Map<string, RunningService>();
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
  return {
    async start(host: Host, part: Part): Promise<void> {
      const settings = { ...onHosts, HOST: address[host], PORT: String(port), DATA_DIR: join(folder, host) };
      const script = part === 'api' ? ['server/main.ts', '--api-only'] : ['workers/main.ts'];
      const [file = '', ...args] = script;
      running.set(part + host, await startService(settings, file, args, network.on(host)));
      if (part === 'worker') await poll(() => learnPools(host));
    },
    /** The jobs that the worker of a host is running. */
    async runningJobs(host: Host): Promise<number> {
      const locked = await sql<{ by: string }[]>`
        select locked_by as by from graphile_worker._private_jobs where locked_at is not null`;
      return locked.filter(({ by }) => pools[host].has(by)).length;
    },
    async kill(host: Host, part: Part): Promise<void> {
      await running.get(part + host)?.stop('SIGKILL');
      running.delete(part + host);
    },
    /** Stops all, and returns what did not end well. */
    async stop(): Promise<string[]> {
      const codes = await Promise.all([...running.values()].map((service) => service.stop('SIGTERM')));
      running.clear();
      return codes.some((code) => code !== 0) ? [`ended with ${codes}`] : [];
    },
    destroy: () => Promise.all([...running.values()].map((service) => service.stop('SIGKILL'))),
  };
}

/** Waits until the storage agrees with the database and no object may still be needed; returns what differs. */
async function agreed(env: Record<string, string>, folder: string): Promise<string[]> {
  let last: Awaited<ReturnType<typeof runVerify>> | undefined;
  const isComplete = async () => {
    last = await runVerify({ ...env, DATA_DIR: join(folder, 'verify') });
    return last.code === 0 && !last.counts.some((line) => line.startsWith('in progress'));
  };
  return poll(isComplete, Number(env['STALE_PENDING_SECONDS']) + 120).then(
    () => [],
    () => [`storage and database differ: ${JSON.stringify(last)}`],
  );
}
