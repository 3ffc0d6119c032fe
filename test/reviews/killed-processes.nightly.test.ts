import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { viaRpc } from '#test/contract/call.ts';
import { workbook } from '#test/factories/workbook.ts';
import { type Fields, found, join, type Person } from '#test/factories.ts';
import { killableBeside, testKills, type Victim } from '#test/faults/kills.ts';
import { connect, useTestApp } from '#test/setup/app.ts';
import type { RunningService } from '#test/setup/service.ts';
import { reportAndTakeOver } from '#workers/run.ts';

const kills = Number(process.env['KILLS'] ?? 40);
/** Creates workspaces, and is not killed. */
const base = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

type Part = 'api' | 'worker';
/** A client of the process that is killed. */
let app: ReturnType<typeof connect>;

/** Starts both processes, and the work, which ends after the last kill. */
async function begin(work: (isOver: () => boolean) => Promise<void>) {
  const killable = killableBeside(base, {
    PORT: String(await freePort()),
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
    SWEEP_INTERVAL_SECONDS: '1',
  });
  onTestFinished(killable.end);
  const running = { api: await killable.start('api'), worker: await killable.start('worker') };
  app = connect(running.api.address);
  let isOver = false;
  const done = work(() => isOver);
  return {
    ...killable,
    running,
    finish() {
      isOver = true;
      return done;
    },
  };
}

/** Kills processes at random times while the work runs, and starts them again. */
const atRandom = (names: readonly Part[]) => ({
  timeout: 600_000,
  kills,
  async reach({ running }: { running: Record<Part, RunningService> }, kill: number) {
    await sleep(50 + Math.random() * 500);
    return running[names[kill % names.length]!];
  },
  async after({ running, start, sql }: Awaited<ReturnType<typeof begin>>, victim: Victim) {
    // A living process frees the locks of the dead one, and leases end.
    await reportAndTakeOver(base.database, [], 0);
    await sql`update analyses set worked_until = now() where worked_until is not null`;
    const name = names.find((one) => running[one] === victim)!;
    running[name] = await start(name);
  },
});

const queries = ['analyses.get', 'assignments.mine', 'assignments.list'];

/** Repeats a call until it gets a response. */
async function call(path: string, input: Fields, as: Person) {
  for (;;) {
    const answer = await viaRpc(
      app,
      { path, type: queries.includes(path) ? 'query' : 'mutation' },
      { input, headers: as.bearer },
    ).catch(() => undefined);
    if (answer && answer.status !== 503 && answer.status !== 429) return answer;
    await sleep(20);
  }
}

/** The texts of each file of an analysis, and its languages. */
const sentencesOf = 60;
const languages = ['fr', 'de', 'ja'];

testKills({
  ...atRandom(['worker', 'api']),
  title: 'an analysis survives killed processes: each document is sent and billed once',
  async open() {
    const founder = await found(base);
    const { tenantId } = founder;
    const ids: string[] = [];
    let n = 0;
    const work = await begin(async (isOver) => {
      const of = async (id: string) => (await call('analyses.get', { analysis_id: id }, founder)).body;
      while (!isOver()) {
        const { body } = await call('analyses.create', { target_langs: languages }, founder);
        const { id } = body;
        ids.push(id);
        for (let file = 0; file < 3; file++) {
          const cells = Array.from({ length: sentencesOf }, () => `Sentence number ${n++} of the file`);
          const content = Buffer.from(workbook(...cells)).toString('base64');
          const added = await call(
            'analyses.addFile',
            { analysis_id: id, file_name: `${file}.xlsx`, content },
            founder,
          );
          expect(added.status, JSON.stringify(added.body)).toBe(200);
        }
        while ((await of(id)).status !== 'completed') await sleep(30);
        expect((await call('analyses.start', { analysis_id: id }, founder)).status).toBe(200);
        while ((await of(id)).documents.requested > 0) await sleep(30);
      }
    });
    return { ...work, ids, tenantId, founder };
  },
  async holds({ finish, sql, ids, tenantId, founder }) {
    await finish();
    for (const id of ids) {
      const { body } = await call('analyses.get', { analysis_id: id }, founder);
      expect([body.files.map(({ refusal }: Fields) => refusal), body.documents]).toEqual([
        [null, null, null],
        { requested: 0, sent: 9, refused: 0 },
      ]);
      expect(body.totals.segments).toBe(3 * sentencesOf * languages.length);
    }
    const finished = () =>
      sql`select count(*)::int as n from document_jobs where tenant_id = ${tenantId} and status = 'translated'`;
    const all = ids.length * 9;
    await expect.poll(async () => (await finished())[0]!['n'], { timeout: 180_000, interval: 500 }).toBe(all);
    const [sums] =
      await sql`select (select count(*)::int from document_jobs where tenant_id = ${tenantId}) as jobs,
      (select count(*)::int from usage_records where tenant_id = ${tenantId}) as records,
      (select count(*)::int from review_assignments where tenant_id = ${tenantId}) as assignments,
      (select count(*)::int from analyses where worked_until is not null) as leases`;
    expect(sums).toEqual({ jobs: all, records: all, assignments: all, leases: 0 });
  },
});

testKills({
  ...atRandom(['api']),
  title: 'two members who assign, pass and approve while the API is killed lose nothing, and decide once',
  async open() {
    const founder = await found(base);
    const [one, two] = [await join(base, founder), await join(base, founder)];
    const made: string[] = [];
    const work = await begin(async (isOver) => {
      for (let n = 0; !isOver(); n++) {
        const body = { source_text: `Text ${n}`, target_lang: 'fr', domain: 'legal' };
        const { bearer: headers } = founder;
        const job = await app.json('POST', '/api/translations', { headers, body }).catch(() => sleep(50));
        if (job?.body.status !== 'awaiting_review') continue;
        const item = { kind: 'job', id: job.body.id };
        made.push(item.id);
        await Promise.all([
          call('assignments.assign', { items: [item], assignee: one.userId, second: two.userId }, founder),
          call('assignments.assign', { items: [item], assignee: one.userId }, one),
        ]);
        // Both act at the same time, until the second review is done.
        const until = async (act: () => Promise<boolean>) => {
          while (!(await act())) await sleep(10);
        };
        const approve = async (as: Person) => {
          const path = `/api/translations/${item.id}`;
          const { bearer: headers } = as;
          const { body: seen } = await app.json('GET', path, { headers });
          const body = { action: 'approve', updated_at: seen.updated_at };
          return app.json('POST', `${path}/review`, { headers, body });
        };
        await Promise.all([
          until(async () => [200, 409].includes((await call('assignments.pass', item, one)).status)),
          until(async () => {
            expect((await approve(one).catch(() => undefined))?.status).not.toBe(200);
            const answer = await approve(two).catch(() => undefined);
            return answer?.status === 200 || answer?.status === 400;
          }),
        ]);
      }
    });
    return { ...work, made, founder, one };
  },
  async holds({ finish, sql, made, founder, one }) {
    await finish();
    const rows = await sql`
      select j.status, a.closed_at is not null as closed, a.passed_by = ${one.userId} as passed, a.rules_from,
        (select count(*)::int from usage_records u where u.tenant_id = j.tenant_id and u.job_id = j.job_id) as bills,
        (select count(*)::int from audit_log l where l.tenant_id = j.tenant_id and l.target = j.job_id
          and l.action = 'review_passed') as passes
      from translation_jobs j join review_assignments a on a.tenant_id = j.tenant_id and a.item_id = j.job_id
      where j.tenant_id = ${founder.tenantId} and j.job_id = any(${made})`;
    expect(rows).toHaveLength(made.length);
    for (const row of rows)
      expect(row).toEqual({
        ...{ status: expect.stringMatching(/published|approved/), closed: true, passed: true },
        ...{ rules_from: null, bills: 1, passes: 1 },
      });
  },
});
