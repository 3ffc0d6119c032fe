import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { translateMended } from '#server/documents/mends.ts';
import type { Fields } from '#test/factories.ts';
import { killableBeside, testKills, type Victim } from '#test/faults/kills.ts';
import { at, madePdf } from '#test/formats/pdf-made.ts';
import { connect, useTestApp } from '#test/setup/app.ts';
import type { RunningService } from '#test/setup/service.ts';
import { answerOf } from '#test/translations/workspace.ts';
import { reportAndTakeOver } from '#workers/run.ts';

const base = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const kills = Number(process.env['KILLS'] ?? 40);

const words = Array.from({ length: 24 }, (_, n) => `Label ${n} of the form and its second half ${n}`);
const ordered = (texts: readonly string[]) => texts.join(' ').split(/\s+/).sort();

type Segment = { region_id: string; source_text: string; target_text: string | null };

async function open() {
  const killable = killableBeside(base, {
    PORT: String(await freePort()),
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
  });
  onTestFinished(killable.end);
  const { headers, tenantId } = await base.signUp();
  const [first, second] = [words.slice(0, 12), words.slice(12)].map((own) =>
    own.map((text, index) => at(40, 370 - 28 * index, text)).join('\n'),
  );
  const body = new FormData();
  body.append(
    'source_document',
    new File([new Uint8Array(await madePdf({ content: first! }, { content: second! }))], 'form.pdf'),
  );
  for (const [name, value] of [
    ['target_lang', 'fr'],
    ['wait', 'true'],
  ] as const)
    body.append(name, value);
  const made = await answerOf(base.request('/api/documents/translate', { method: 'POST', headers, body }));
  expect(made.status).toBe(200);
  const running = { api: await killable.start('api'), worker: await killable.start('worker') };
  const work = {
    ...killable,
    running,
    headers,
    tenantId,
    id: made.body.id as string,
    chars: made.body.billable_chars as number,
  };
  let isOver = false;
  const people = [1, 2].map(async (seed) => {
    const changes: string[] = [];
    for (let turn = seed; !isOver; turn += 7) {
      const address = work.running.api.address;
      await change(connect(address), work, turn, changes).catch(() => sleep(50));
    }
  });
  return {
    ...work,
    running,
    async finish() {
      isOver = true;
      await Promise.all(people);
    },
  };
}

const listed = async (
  app: Pick<ReturnType<typeof connect>, 'json'>,
  { headers, id }: { headers: Fields; id: string },
) =>
  (await app.json('GET', `/api/documents/${id}/segments?limit=500`, { headers: headers as never })).body
    .segments as Segment[];

/** Makes or undoes a change, as one of two people on the same pages. */
async function change(
  app: ReturnType<typeof connect>,
  work: { headers: Fields; id: string },
  turn: number,
  changes: string[],
): Promise<void> {
  const segments = await listed(app, work);
  const place = (turn * 5) % (segments.length - 1);
  const [one, two] = [segments[place]!, segments[place + 1]!];
  const space = one.source_text.indexOf(' ', one.source_text.length / 2);
  const send = (name: string, input: Fields) =>
    app.json('POST', `/trpc/documents.${name}`, {
      headers: work.headers as never,
      body: { json: { document_id: work.id, ...input } },
    });
  if (turn % 4 === 0 && changes.length > 0) return void (await send('undo', { change_id: changes.pop() }));
  const mend =
    turn % 4 === 1 && space > 0
      ? { action: 'split', region_id: one.region_id, at: [space] }
      : turn % 4 === 2
        ? { action: 'order', region_id: one.region_id, after: two.region_id }
        : { action: 'join', region_ids: [one.region_id, two.region_id] };
  const { body } = await send('mend', { mend });
  const changeId = body.result?.data.json.change_id;
  if (changeId) changes.push(changeId);
}

testKills({
  title: `loses and doubles no text of a page, and bills each change once, with ${kills} kills of two people's work`,
  timeout: 900_000,
  kills,
  open,
  async reach({ running }: { running: Record<'api' | 'worker', RunningService> }, kill: number) {
    await sleep(1000 + Math.random() * 3000);
    return kill % 3 === 2 ? running.worker : running.api;
  },
  async after({ running, start, sql }, victim: Victim) {
    await reportAndTakeOver(base.database, [], 0);
    await sql`update document_jobs set review_lease_until = null`;
    const name = running.api === victim ? 'api' : 'worker';
    running[name] = await start(name);
  },
  async holds({ id, tenantId, headers, chars, finish, sql }) {
    await finish();
    await translateMended(base.services, { tenantId, documentId: id });
    const segments = await listed(base, { headers, id });
    expect(ordered(segments.map(({ source_text }) => source_text))).toEqual(ordered(words));
    expect(new Set(segments.map(({ region_id }) => region_id)).size).toBe(segments.length);
    expect(segments.filter(({ target_text }) => target_text === null)).toEqual([]);
    const [count] = await sql`select segments, source_chars from document_jobs where document_id = ${id}`;
    expect(count!['segments']).toBe(segments.length);
    const billed = await sql`
      select source_chars from usage_records where tenant_id = ${tenantId} and job_id <> ${id}`;
    expect(billed.length).toBeGreaterThan(5);
    const sum = billed.reduce((all, { source_chars }) => all + Number(source_chars), 0);
    expect(sum).toBe(Number(count!['source_chars']) - chars);
    const download = await base.request(`/api/documents/${id}/download`, { headers });
    expect(download.status).toBe(200);
  },
});
