import { expect, onTestFinished } from 'vitest';
import { killableBeside, testKills } from '#test/faults/kills.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkspace } from '#test/translations/workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const mine = useWorkspace(app);

/** `KILLS=2` for a short run. */
const kills = Number(process.env['KILLS'] ?? 8);
const batches = 40;
const perBatch = 25;

testKills({
  title: `${kills} workers are killed while they run queued texts: each text is translated and billed once`,
  timeout: 240_000,
  kills,
  async open() {
    const killable = killableBeside(app);
    onTestFinished(killable.end);
    const { sql } = killable;
    for (let number = 0; number < batches; number++) {
      const inputs = Array.from({ length: perBatch }, (_, item) => ({
        Text: `Sentence ${item} of the batch ${number} is different from all others.`,
        Targets: [{ Language: 'fr' }],
      }));
      const { status } = await mine.submit({ inputs }, { prefer: 'respond-async' });
      expect(status).toBe(202);
    }
    const finished = async () => {
      const [row] = await sql`
        select count(*) filter (where status = 'published')::int as published, count(*)::int as jobs
        from translation_jobs where tenant_id = ${mine.tenantId}`;
      return row as unknown as { published: number; jobs: number };
    };
    /** The kills that came before the end of the texts. */
    return { ...killable, finished, used: 0 };
  },
  async reach(work, kill) {
    const worker = await work.start('worker');
    const enough = Math.floor(((kill + 1) * batches * perBatch) / (kills + 2));
    await expect
      .poll(async () => (await work.finished()).published, { timeout: 60_000, interval: 10 })
      .toBeGreaterThanOrEqual(enough);
    if ((await work.finished()).published < batches * perBatch) work.used += 1;
    return worker;
  },
  after: ({ replaceDead }) => replaceDead(),
  async holds({ start, sql, finished, used }) {
    expect(used).toBeGreaterThan(kills / 2);
    await start('worker');
    await expect
      .poll(async () => (await finished()).published, { timeout: 90_000, interval: 100 })
      .toBe(batches * perBatch);
    expect((await finished()).jobs).toBe(batches * perBatch);
    const usage = await mine.usage();
    expect(usage).toHaveLength(batches * perBatch);
    expect(new Set(usage.map(({ job_id }) => job_id)).size).toBe(batches * perBatch);
    const [queue] = await sql`
      select count(*)::int as left from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'run_texts'`;
    expect(queue!['left']).toBe(0);
  },
});
