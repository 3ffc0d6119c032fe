import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

/** What an attack may use: a service of its own, as `npm start` runs it. */
export interface Target {
  service: RunningService;
  address: string;
  /** The database, as the service's role. */
  databaseUrl: string;
}

/** An attack on the service. `npm run bench -- abuse` runs it at full size, the tests at a small one. */
export interface Attack {
  /** What the attacker does, in a few words. */
  title: string;
  /** Settings on top of those of `measureAttack`. */
  env?: Record<string, string>;
  /** Prepares what the attack needs, such as accounts and files; not measured. */
  prepare?(target: Target): Promise<void>;
  /** Runs the attack. Returns figures of its own by name, such as sizes and times of responses. */
  run(target: Target): Promise<Record<string, number | string>>;
}

export interface AttackReport {
  /** Latency of `GET /healthz` during the attack, in milliseconds, counted from when each request was due. */
  healthz: { count: number; p50: number; p99: number; max: number; failed: number };
  /** Resident memory of the API process in MB: before the attack, its peak, and after the attacker has gone. */
  memory: { before: number; peak: number; after: number };
  /** The attack's own figures. */
  figures: Record<string, number | string>;
}

/** Runs `attack` against a service of its own while another process asks `/healthz` every 10 ms. */
export async function measureAttack(
  attack: Attack,
  { settleSeconds = 60 }: { settleSeconds?: number } = {},
): Promise<AttackReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-abuse-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const service = await startService({
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    ...attack.env,
  });
  try {
    const target = { service, address: service.address, databaseUrl: server.url };
    await attack.prepare?.(target);
    const before = await residentMemory(service.pid);
    const probe = await startProbe(service.address);
    let peak = before;
    const watch = setInterval(async () => {
      peak = Math.max(peak, await residentMemory(service.pid));
    }, 100);
    const figures = await attack.run(target).finally(() => clearInterval(watch));
    const healthz = await probe.stop();
    for (let second = 0; second < settleSeconds; second++) {
      if ((await residentMemory(service.pid)) <= before + 50) break;
      await sleep(1000);
    }
    return { healthz, memory: { before, peak, after: await residentMemory(service.pid) }, figures };
  } finally {
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Megabytes; NaN if the system does not report them. */
async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}

async function startProbe(address: string): Promise<{ stop(): Promise<AttackReport['healthz']> }> {
  const child = fork(join(import.meta.dirname, 'healthz-probe.ts'), [address]);
  await new Promise((resolve) => child.once('message', resolve));
  return {
    async stop() {
      const answer = new Promise<{ latencies: number[]; failed: number }>((resolve) =>
        child.once('message', (message) => resolve(message as { latencies: number[]; failed: number })),
      );
      child.send('stop');
      const { latencies, failed } = await answer;
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
      return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(0.999999), failed };
    },
  };
}
