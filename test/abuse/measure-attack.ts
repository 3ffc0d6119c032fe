import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

/** The service that an attack uses. It is a separate service, as started by `npm start`. */
export interface Target {
  service: RunningService;
  address: string;
  /** The URL of the database, with the service's role. */
  databaseUrl: string;
}

/**
 * An attack on the service. `npm run bench -- abuse` runs it with its full size, and tests run it with a small size.
 */
export interface Attack {
  /** A short description of the attack. */
  title: string;
  /** Settings that are added to those of `measureAttack`. */
  env?: Record<string, string>;
  /** Prepares the attack, for example by creating accounts and files. The preparation is not measured. */
  prepare?(target: Target): Promise<void>;
  /** Runs the attack. Returns additional figures by name, such as sizes and response times. */
  run(target: Target): Promise<Record<string, number | string>>;
}

export interface AttackReport {
  /**
   * The latency of `GET /healthz` during the attack, in milliseconds, measured from the time at which each request was
   * due.
   */
  healthz: { count: number; p50: number; p99: number; max: number; failed: number };
  /** Resident memory of the API process in MB: before the attack, the maximum, and after the attack. */
  memory: { before: number; peak: number; after: number };
  /**
   * The longest CPU time of the main thread between two turns of its event loop, in milliseconds; 0 if none took 20 ms. It
   * does not depend on other load of the machine.
   */
  longestBlock: number;
  /** The additional figures of the attack. */
  figures: Record<string, number | string>;
}

/** Runs an attack on a separate service, while another process requests `/healthz` every 10 ms. */
export async function measureAttack(
  attack: Attack,
  { settleSeconds = 60 }: { settleSeconds?: number } = {},
): Promise<AttackReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-abuse-'));
  const blocksFile = join(dataDir, 'longest-block');
  const server = await joinEmbeddedPostgres(dataDir);
  const service = await startService({
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    BLOCKS_FILE: blocksFile,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'event-loop-blocks.ts')}`,
    ...attack.env,
  });
  try {
    const target = { service, address: service.address, databaseUrl: server.url };
    await attack.prepare?.(target);
    await rm(blocksFile, { force: true });
    const before = await residentMemory(service.pid);
    const probe = await startProbe(service.address);
    let peak = before;
    const watch = setInterval(async () => {
      peak = Math.max(peak, await residentMemory(service.pid));
    }, 100);
    const figures = await attack.run(target).finally(() => clearInterval(watch));
    const healthz = await probe.stop();
    const blocks = (await readFile(blocksFile, 'utf8').catch(() => '')).split('\n').map(Number);
    for (let second = 0; second < settleSeconds; second++) {
      if ((await residentMemory(service.pid)) <= before + 50) break;
      await sleep(1000);
    }
    return {
      healthz,
      memory: { before, peak, after: await residentMemory(service.pid) },
      longestBlock: Math.max(...blocks),
      figures,
    };
  } finally {
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The resident memory of a process in megabytes; NaN if the system does not report it. */
async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}

/** Starts a process that requests `/healthz` every 10 ms, until it is stopped. */
export async function startProbe(address: string): Promise<{ stop(): Promise<AttackReport['healthz']> }> {
  const child = fork(join(import.meta.dirname, 'healthz-probe.ts'), [address]);
  await new Promise((resolve) => child.once('message', resolve));
  return {
    async stop() {
      const answer = new Promise<{ latencies: number[]; failed: number }>((resolve) =>
        child.once('message', (message) => resolve(message as { latencies: number[]; failed: number })),
      );
      child.send('stop');
      const { latencies, failed } = await answer;
      return { count: latencies.length, ...percentiles(latencies), failed };
    },
  };
}

/** The percentiles of latencies, in milliseconds. */
export function percentiles(latencies: readonly number[]): { p50: number; p99: number; max: number } {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(0.999999) };
}
