import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  bread,
  cat,
  garden,
  german,
  good,
  liveEngine,
  models,
  translate,
  windows,
} from '#test/translations/live.ts';
import { type Bound, openBound } from './bound-workspace.ts';
import { addAccount, startAccount } from './data-lake-account.ts';

const account = await startAccount();
const second = addAccount(account.lake, 'fabrikam');
const fake = await startFakeOpenAi();
afterAll(() => Promise.all([account.lake.close(), fake.close()]));

const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    STORAGE_BINDING_ENABLED: 'true',
    STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
  },
  engine: liveEngine(fake),
});

let mine: Bound;
beforeEach(async () => {
  fake.otherwise(good);
  mine = await openBound(app, account);
});

const goldenPath = (id: string, prefix = 'golden/') => `${prefix}${id.slice(0, 6)}/${id}.json`;
const today = () => new Date().toISOString().slice(0, 10);

/** The paths and contents of all objects in the container. */
const everything = (workspace = mine) =>
  workspace
    .stored()
    .map((path) => `${path}\n${workspace.content(path)}`)
    .join('\n');

/** The paths and contents in platform storage that contain data of the tenant. */
async function onPlatform({ tenantId }: Bound): Promise<Map<string, string>> {
  const folder = join(app.services.settings.DATA_DIR, 'storage');
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = (await readFile(path).catch(() => Buffer.of())).toString();
    if (path.includes(tenantId) || content.includes(tenantId))
      found.set(path.slice(folder.length + 1), content);
  }
  return found;
}

describe('a record in the tenant’s account (B "Routing")', () => {
  /** A word for all fields that only operators see. It occurs nowhere else. */
  const operatorOnly = 'zq-operator-only';

  /** Writes the word into these fields of a stored job. */
  async function plant(id: string) {
    const sql = openSuperuser(app.superuserUrl);
    const [row] = await sql`
      select request, quality_assessment, agent_run from translation_jobs where job_id = ${id}`;
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
    const { request, quality_assessment, agent_run } = row as Record<string, any>;
    const at = new Date().toISOString();
    const metadata = { model: operatorOnly, token_usage: { total_tokens: 918273645 } };
    request.metadata.candidate_models = [operatorOnly];
    request.metadata.primary_model = operatorOnly;
    quality_assessment.model = operatorOnly;
    expect(agent_run.steps.length).toBeGreaterThan(3);
    for (const step of agent_run.steps) {
      step.metadata = metadata;
      const summaries = { input_summary: operatorOnly, output_summary: operatorOnly };
      const times = { started_at: at, completed_at: at };
      const call = { id, tool_name: operatorOnly, status: 'completed', error: null };
      step.tool_calls.push({ ...call, ...summaries, ...times, metadata });
      const decision = { id, label: 'a decision', outcome: 'kept-outcome', confidence: 0.625 };
      step.decisions.push({ ...decision, rationale: operatorOnly, created_at: at, metadata });
    }
    agent_run.quality_gate.metadata.trace = operatorOnly;
    agent_run.quality_gate.metadata.models = [operatorOnly];
    agent_run.token_usage = { input_tokens: 564738291 };
    await sql`
      update translation_jobs set request = ${sql.json(request)}, agent_run = ${sql.json(agent_run)},
        quality_assessment = ${sql.json(quality_assessment)} where job_id = ${id}`;
  }

  test('has no operator-only field, by any name and in any byte', async () => {
    await mine.connect();
    const issue: QualityIssue = {
      severity: 'minor',
      category: 'style',
      span: 'Katze',
      explanation: 'a word to keep',
      suggestion: null,
    };
    fake.otherwise(translatingReply({ translate, score: 50, issues: [issue] }));
    const job = await mine.job({ source_text: cat, target_lang: 'de' });
    expect(job.status).toBe('awaiting_review');
    await plant(job.id);
    const done = await mine.review(job.id, {
      action: 'modify',
      final_translation: 'Die Katze schläft.',
      reviewer: 'Rev Iewer',
      notes: 'shorter is better',
    });
    expect([done.status, done.body.status]).toEqual([200, 'human_edited']);
    const written = everything();
    for (const words of [operatorOnly, '918273645', '564738291']) expect(written).not.toContain(words);
    for (const name of Object.values(models)) expect(written).not.toContain(name);

    const record = JSON.parse(mine.content(goldenPath(job.id)));
    expect(record).toMatchObject({
      kind: 'text',
      tenant_id: mine.tenantId,
      job_id: job.id,
      job: {
        request: { source_text: cat, source_lang: 'en', target_lang: 'de' },
        status: 'human_edited',
        final_translation: 'Die Katze schläft.',
        quality_assessment: { score: job.quality_assessment.score },
        verification: { score: job.verification.score },
        agent_run: {
          quality_gate: {
            decision: 'needs_human',
            score: job.agent_run.quality_gate.score,
            triggers: job.agent_run.quality_gate.triggers,
            reasons: job.agent_run.quality_gate.reasons,
          },
          human_review_task: { status: 'completed', completed_by: 'Rev Iewer' },
        },
      },
    });
    for (const step of record.job.agent_run.steps) {
      expect(step).not.toHaveProperty('metadata');
      expect(step.tool_calls).toEqual([]);
      for (const decision of step.decisions) expect(decision).toMatchObject({ rationale: null });
    }
    expect(written).toContain('kept-outcome');
    expect(written).toContain('0.625');
    // The row of the job on the platform contains all of these fields.
    const [row] = await openSuperuser(app.superuserUrl)`
      select to_jsonb(j)::text as job from translation_jobs j where job_id = ${job.id}`;
    expect(row!['job'].split(operatorOnly).length).toBeGreaterThan(20);
  });

  test('of a job that several models worked on names none of them', async () => {
    await mine.connect();
    fake.otherwise(
      translatingReply({
        usage: { prompt_tokens: 918_273, completion_tokens: 645_321 },
        translate: (text, _lang, asked) =>
          asked.model === models.extra ? `${german[text]} Ja.` : german[text]!,
      }),
    );
    const job = await mine.job({
      source_text: bread,
      target_lang: 'de',
      metadata: { candidate_models: [models.extra], debate_rounds: 2, min_quality_score: 10, mine: 'kept' },
    });
    expect(job.status).toBe('published');
    const written = everything();
    for (const name of [
      ...Object.values(models),
      '918273',
      '645321',
      '1563594',
      'candidate_models',
      '"model',
    ])
      expect(written).not.toContain(name);
    expect(JSON.parse(mine.content(goldenPath(job.id))).job).toMatchObject({
      final_translation: german[bread],
      request: { metadata: { mine: 'kept', tenant: { id: mine.tenantId } } },
    });
  });

  test('is one per job, with one line in the manifest of the day; nothing of it is on the platform', async () => {
    await mine.connect();
    const jobs = await Promise.all(
      [cat, bread, windows, garden].map((source_text) => mine.job({ source_text, target_lang: 'de' })),
    );
    const ids = jobs.map(({ id }) => id).toSorted();
    const manifest = `golden/manifest/${today()}.jsonl`;
    await expect.poll(() => mine.content(manifest).split('\n').filter(Boolean)).toHaveLength(4);
    const lines = mine
      .content(manifest)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ job_id }) => job_id).toSorted()).toEqual(ids);
    for (const line of lines)
      expect(line).toMatchObject({ kind: 'text', tenant_id: mine.tenantId, status: 'published' });
    expect(mine.stored()).toEqual([...ids.map((id) => goldenPath(id)), manifest].toSorted());
    for (const [path, content] of await onPlatform(mine)) {
      // Platform storage has only the list that announces records. It contains their names, but not their content.
      expect(path).toMatch(/^golden\/announced/);
      expect(content).not.toContain(german[cat]!);
    }
  });

  test('is not written for a fast-path job, nor for a rejected one', async () => {
    await mine.connect();
    await mine.job({ source_text: cat, target_lang: 'de' });
    const fast = await mine.job({ source_text: cat, target_lang: 'de' });
    expect(fast.request.metadata.provenance).toMatchObject({ fast_path: 'tm_exact' });
    const held = await mine.job({ source_text: bread, target_lang: 'de', metadata: { sensitive: true } });
    await mine.review(held.id, { action: 'reject' });
    for (const { id } of [fast, held]) expect(everything()).not.toContain(id);
  });
});

describe('documents', () => {
  test('have their files in the account, and on the platform the counts of their approval alone', async () => {
    await mine.connect();
    const { id } = await mine.translate([cat, bread], { target_lang: 'de' });
    const { body } = await mine.correct(id, { A1: 'Ein Wort des Kunden' });
    expect(body.status).toBe('translated');
    expect((await mine.approve(id)).status).toBe(200);
    const files = mine.stored().filter((path) => path.startsWith(`documents/${id}/`));
    // The source file, the translated file, and the translated file with the correction.
    expect(files).toHaveLength(3);
    expect(mine.stored().filter((path) => !path.startsWith('documents/'))).toEqual([]);
    const inAccount = account.lake.files(account.name, mine.filesystem);
    const downloaded = Buffer.from(await (await mine.download(id)).arrayBuffer());
    expect(files.filter((path) => inAccount.get(path)?.equals(downloaded))).toHaveLength(1);
    const kept = await onPlatform(mine);
    const records = [...kept].filter(([path]) => path.startsWith(mine.tenantId));
    expect(records.map(([path]) => path)).toEqual([expect.stringMatching(/\/golden\//)]);
    const [[, record]] = records as [[string, string]];
    expect(JSON.parse(record)).toMatchObject({ kind: 'document_approval', job_id: id });
    for (const [, content] of kept)
      for (const words of [cat, bread, 'Kunden', german[cat]!, german[bread]!, ...Object.values(models)])
        expect(content).not.toContain(words);
  });
});

describe('prefixes (B 2.10)', () => {
  test('records and their manifest, and files, go to the directories of the tenant’s choice', async () => {
    const [golden, documents] = ['team.records/', 'team.docs/'];
    await mine.connect({ prefixes: { golden, documents } });
    const job = await mine.job({ source_text: cat, target_lang: 'de' });
    const { id } = await mine.translate([bread], { target_lang: 'de' });
    const manifest = `${golden}manifest/${today()}.jsonl`;
    await expect.poll(() => mine.stored()).toContain(manifest);
    expect(mine.stored()).toEqual([
      expect.stringMatching(new RegExp(`^${documents}${id}/source-`)),
      expect.stringMatching(new RegExp(`^${documents}${id}/translated-`)),
      ...[goldenPath(job.id, golden), manifest].toSorted(),
    ]);
    // Files in directories of an earlier binding are still found.
    await mine.connect();
    expect((await mine.download(id)).status).toBe(200);
    expect((await mine.correct(id, { A1: 'anders' })).status).toBe(200);
    expect(mine.stored().filter((path) => path.startsWith(`documents/${id}/`))).toHaveLength(1);
  });
});

test('two tenants with two accounts never mix, whoever asks at the same time', async () => {
  const other = await openBound(app, second);
  await Promise.all([mine.connect(), other.connect()]);
  const work = async (workspace: Bound) => {
    const jobs = await Promise.all(
      [cat, bread].map((source_text) => workspace.job({ source_text, target_lang: 'de' })),
    );
    const sent = await workspace.send({
      source_document: workbookFile([windows]),
      target_lang: 'de',
      wait: 'true',
    });
    return [...jobs.map(({ id }) => id), sent.body.id];
  };
  const [ours, theirs] = await Promise.all([work(mine), work(other)]);
  for (const id of ours!) expect(everything(other)).not.toContain(id);
  for (const id of theirs!) expect(everything(mine)).not.toContain(id);
  expect(everything(mine)).not.toContain(other.tenantId);
  expect(everything(other)).not.toContain(mine.tenantId);
  const ids = (workspace: Bound) =>
    new Set(workspace.stored().flatMap((path) => /[0-9a-f]{32}/.exec(path) ?? []));
  expect([...ids(mine)].toSorted()).toEqual(ours!.toSorted());
  expect([...ids(other)].toSorted()).toEqual(theirs!.toSorted());
  const asked = account.lake.requests.filter(({ filesystem }) => filesystem === other.filesystem);
  expect(new Set(asked.map(({ account: name }) => name))).toEqual(new Set(['fabrikam']));
});
