import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { pick, type Random, seededRandom, shuffled } from '#test/bench/seeded-random.ts';
import { connect, secretsKey } from '#test/setup/app.ts';
import { processesOf } from '#test/setup/launch.ts';
import { startPgbouncer } from '#test/setup/pgbouncer.ts';
import { poll } from '#test/setup/poll.ts';
import { translate } from '#test/translations/live.ts';
import { type Cluster, pooledVictims, startCluster, type Victim, victims } from './cluster.ts';
import { type Load, startLoad, startLoadedModel } from './load.ts';
import { verify } from './verify.ts';

/** Maximum seconds after a kill until all parts work again. */
const maxRecoverySeconds = 60;

export interface Recovery {
  victim: Victim;
  /** Milliseconds from the kill until a text was translated. */
  api: number;
  /** Milliseconds from the kill until each worker pool had run a job that was added after the kill. */
  worker: number;
}

export interface FaultsReport {
  recoveries: Recovery[];
  /** The errors of a run; empty if it passed. */
  wrong: string[];
  /** The number of responses of each kind. */
  counts: Record<string, number>;
}

export interface FaultsOptions {
  kills: number;
  seed: number;
  clients?: number;
  /** Whether the service connects through PgBouncer in transaction mode. */
  isPooled?: boolean;
}

/** Kills the processes of the service under load, `kills` times, and verifies that nothing was lost. */
export async function runFaults(
  { kills, seed, clients = 6, isPooled = false }: FaultsOptions,
  print: (line: string) => void,
): Promise<FaultsReport> {
  const random = seededRandom(seed);
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-faults-'));
  const reply = { failing: 0.03, latencyMs: 10, translate: translateNumbered };
  await using model = await startLoadedModel(random, reply);
  const pooled = isPooled ? await startPooledDatabase(dataDir) : undefined;
  const env = {
    ...{ DATA_DIR: dataDir, STALE_PENDING_SECONDS: '5', SWEEP_INTERVAL_SECONDS: '2' },
    ...model.settings,
    ...pooled?.env,
  };
  const cluster = await startCluster(env, pooled?.pgbouncer);
  const report: FaultsReport = { recoveries: [], wrong: [], counts: {} };
  try {
    const load = await startLoad(connect(cluster.address), clients, random);
    report.counts = load.answers.counts;
    for (const [n, victim] of orderOf(kills, isPooled ? pooledVictims : victims, random).entries()) {
      await delay(50 + random() * 600);
      const recovery = await killOnce(cluster, load, victim, random);
      report.recoveries.push(recovery);
      print(`${n + 1}. ${victim}: api ${recovery.api} ms, worker ${recovery.worker} ms`);
    }
    await load.stop();
    report.wrong.push(
      ...(await verify(cluster, load, connect(cluster.address), openFolder(join(dataDir, 'storage')))),
    );
    const codes = await cluster.stop();
    if (codes.some((code) => code !== 0)) report.wrong.push(`ended with ${codes}`);
    await pooled?.leave();
    const left = processesOf(dataDir);
    if (left.length > 0) report.wrong.push(`left over: ${left.join('; ')}`);
  } finally {
    await cluster.destroy();
    await pooled?.pgbouncer.remove();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  return report;
}

/** Starts the database and a PgBouncer with fewer connections than the processes have. */
async function startPooledDatabase(dataDir: string) {
  const server = await joinEmbeddedPostgres(dataDir);
  await migrate(server.ownerUrl, { service: new URL(server.url).username });
  const pgbouncer = await startPgbouncer(server.url, 'transaction', { default_pool_size: 4 });
  const env = {
    DATABASE_URL: server.url,
    DATABASE_POOLS: JSON.stringify({ pooler: pgbouncer.address }),
    SECRETS_KEY: secretsKey,
  };
  return { env, pgbouncer, leave: () => server.leave() };
}

/** The victims in random order, all kinds about equally often. */
function orderOf(kills: number, among: readonly Victim[], random: Random): Victim[] {
  return shuffled(
    Array.from({ length: kills }, (_, n) => among[n % among.length] as Victim),
    random,
  );
}

async function killOnce(cluster: Cluster, load: Load, victim: Victim, random: Random): Promise<Recovery> {
  const killed = Date.now();
  const since = () => Date.now() - killed;
  const restarted = cluster.kill(victim, (pids) => (pids.length > 0 ? pick(pids, random) : undefined));
  const served = async () => {
    await poll(() => load.isServed(), maxRecoverySeconds);
    return since();
  };
  const worked = async () => {
    const tenant = JSON.stringify({ tenantId: load.probe.tenantId });
    // Adds one job for each worker pool. The jobs do nothing; when they have run, they are gone.
    const ids = await poll(
      () =>
        cluster
          .query(
            (sql) => sql<{ id: string }[]>`
              select id from graphile_worker.add_job('fail_stale_jobs', ${tenant}::text::json)
              union all select id from graphile_worker.add_job('publish_unpersisted_jobs', ${tenant}::text::json)`,
          )
          .catch(() => undefined),
      maxRecoverySeconds,
    );
    await poll(
      async () =>
        cluster
          .query(
            (sql) => sql`
              select id from graphile_worker.jobs
              where id::text = any(string_to_array(${ids.map(({ id }) => id).join()}, ','))`,
          )
          .then(
            (left) => left.length === 0,
            () => false,
          ),
      maxRecoverySeconds,
    );
    return since();
  };
  await restarted;
  const [api, worker] = await Promise.all([served(), worked()]);
  return { victim, api, worker };
}

function translateNumbered(text: string): string {
  const [, sentence = text, number = ''] = /^(.*?)( \(\d+\))?$/s.exec(text) ?? [];
  return translate(sentence) + number;
}
