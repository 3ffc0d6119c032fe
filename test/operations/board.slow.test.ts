import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { env as ofOperator, queueDocument, signUpFounder, submit, submitHeld } from '#test/factories.ts';
import { agreeable, type FakeOpenAi, failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { connect, secretsKey } from '#test/setup/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { type Launched, launch, root } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { hasPrometheus, monitoring, readMonitoring } from './promtool.ts';

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string; legendFormat: string }[];
  fieldConfig?: { defaults: { unit?: string } };
}

const board: { panels: Panel[] } = JSON.parse(readMonitoring('board.json'));
const rules = readMonitoring('alerts.yaml');
const charts = board.panels.filter(({ type }) => type !== 'row');

/** An API and a worker, each with a port for metrics, after real work. */
const processes = {} as {
  database: TestDatabase;
  model: FakeOpenAi;
  launched: Launched[];
  ports: Record<'api' | 'worker', number>;
};

let folder: string;

const scrape = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

beforeAll(async () => {
  const database = await createTestDatabase();
  const model = await startFakeOpenAi();
  model.otherwise(agreeable);
  const ports = { api: await freePort(), worker: await freePort() };
  Object.assign(processes, { database, model, ports, launched: [] });
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-board-'));
  const env = {
    ...ofOperator,
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PLATFORM_STORAGE_URL: `file://${folder}/storage`,
    SECRETS_KEY: secretsKey,
    SWEEP_INTERVAL_SECONDS: '1',
    OPENAI_API_KEY: 'any',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_EMBEDDING_MODEL: 'none',
    OPENAI_MAX_RETRIES: '1',
    MODEL_PRICES: '{"gpt-6.1-terra":{"input":1.25,"output":10}}',
  };
  const begin = (script: string, args: string[], port: number) => {
    const process = launch([script, ...args], {
      ...env,
      METRICS: JSON.stringify({ port, top_workspaces: 10 }),
    });
    processes.launched.push(process);
    return process;
  };
  const api = begin('server/main.ts', ['--api-only'], ports.api);
  await api.says('"msg":"LinguaLoop ');
  const worker = begin('workers/main.ts', [], ports.worker);
  await worker.says('"msg":"LinguaLoop ');

  const app = connect(api.address());
  const founder = await signUpFounder(app);
  await submit(app, founder);
  const held = await submitHeld(app, founder);
  await submitHeld(app, founder);
  const review = { action: 'reject' };
  await app.json('POST', `/api/translations/${held}/review`, { headers: founder.bearer, body: review });
  model.enqueue(failure(500), failure(500));
  const failing = { source_text: 'No model', target_lang: 'fr' };
  const { status } = await app.json('POST', '/api/translations', { headers: founder.bearer, body: failing });
  expect(status).toBe(503);
  const id = await queueDocument(app, founder);
  await poll(async () => {
    const { body } = await app.json('GET', `/api/documents/${id}`, { headers: founder.bearer });
    return body.status === 'translated';
  }, 30);
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  // A job that has failed for the last time, a document that an outage delays, and a backup.
  await sql`select graphile_worker.add_job('import_memory', '{"tenantId":"x","importId":"y"}'::json, run_at => now() + interval '1 day')`;
  await sql`update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'importId' = 'y'`;
  await sql`insert into maintenance_runs (name) values ('backup')`;
  await sql.end();
});

afterAll(async () => {
  for (const { child, ended } of processes.launched) {
    child.kill('SIGKILL');
    await ended;
  }
  await processes.model.close();
  await processes.database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The metrics of both processes: their names, and the labels of each sample with all their values. */
async function scrapeAll() {
  const text = (await scrape(processes.ports.api)) + (await scrape(processes.ports.worker));
  const names = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name as string));
  const labels = new Map<string, Set<string>>();
  const pairs = new Set<string>();
  for (const [, sample = '', list = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labels.get(sample) ?? new Set(['job', 'instance']);
    for (const [pair, label = ''] of list.matchAll(/(\w+)="[^"]*"/g)) {
      known.add(label);
      pairs.add(pair);
    }
    labels.set(sample, known);
  }
  return { names, labels, pairs };
}

/** The expressions of all rules and panels. */
const expressions = [
  ...[...rules.matchAll(/expr: >-\n((?: {10}.*\n)+)/g)].map(([, expr]) => expr as string),
  ...charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

test('docs/monitoring.md names every metric of the service, and no others', async () => {
  const { names } = await scrapeAll();
  const own = [...names].filter((name) => name.startsWith('lingualoop_'));
  const guide = readFileSync(join(root, 'docs/monitoring.md'), 'utf8');
  const section = guide.slice(guide.indexOf('## Metrics'), guide.indexOf('## Board'));
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((line) => [
    ...(line.split(' | ')[0] ?? '').matchAll(/`(lingualoop_\w+)`/g),
  ]);
  expect(documented.map(([, name]) => name).toSorted()).toEqual(own.toSorted());
});

test('every metric and label in rules and board exists after real work', async () => {
  const { names, labels, pairs } = await scrapeAll();
  const wrong = expressions.flatMap((expr) => {
    const found: string[] = [];
    const used = new Set<string>();
    for (const [, name = '', matchers = ''] of expr.matchAll(
      /\b((?:lingualoop|process|nodejs)_\w+)(?:\{([^}]*)\})?/g,
    )) {
      const known = labels.get(name);
      if (!known && !names.has(name)) found.push(`${name} does not exist`);
      for (const label of known ?? []) used.add(label);
      for (const [, label = '', how, value] of matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)) {
        if (known && !known.has(label)) found.push(`${name} has no label ${label}`);
        if (how === '=' && !pairs.has(`${label}="${value}"`)) found.push(`no ${label} is ${value}`);
      }
    }
    for (const [, list = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
      for (const label of list.split(', ').filter(Boolean))
        if (used.size > 0 && !used.has(label) && !expr.includes('lingualoop_documents_waiting'))
          found.push(`nothing has the label ${label}: ${expr}`);
    return found;
  });
  expect(expressions.length).toBeGreaterThan(60);
  expect(wrong).toEqual([]);
});

test('each panel has its own title, a unit, and the data source of the variable', () => {
  expect(new Set(charts.map(({ title }) => title)).size).toBe(charts.length);
  for (const { title, fieldConfig } of charts)
    expect([title, fieldConfig?.defaults.unit]).not.toContain(undefined);
  expect(readMonitoring('board.json')).not.toMatch(/"uid": "(?!\$\{datasource\}|lingualoop")/);
});

/** Panels that may be empty: nothing of the kind has happened. */
const mayBeEmpty = new Set(['Delayed by an outage', 'Failed runs']);

test.skipIf(!hasPrometheus)(
  'a Prometheus server evaluates every rule and panel, and a healthy deployment raises no alert',
  async () => {
    const config = join(folder, 'prometheus.yaml');
    await writeFile(
      config,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [join(monitoring, 'alerts.yaml')],
        scrape_configs: Object.entries(processes.ports).map(([name, port]) => ({
          job_name: `lingualoop-${name}`,
          static_configs: [{ targets: [`127.0.0.1:${port}`] }],
        })),
      }),
    );
    const port = await freePort();
    const server = launch(
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'tsdb')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      {},
      { file: 'prometheus' },
    );
    processes.launched.push(server);
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
      return (await response.json()) as { status: string; error?: string; data: Record<string, unknown> };
    };
    const query = async (expr: string) => {
      const { status, error, data } = await get(`query?query=${encodeURIComponent(expr)}`);
      return { status, error, results: (data?.['result'] as unknown[] | undefined) ?? [] };
    };
    await poll(async () => {
      const { results } = await query('count_over_time(up{job=~"lingualoop.*"}[1m]) >= 3').catch(() => ({
        results: [],
      }));
      return results.length === 2;
    });

    // A scrape that a busy machine delays raises an alert for a moment.
    const patient = { timeout: 40_000, interval: 500 };
    const evaluated = async () => {
      const { data } = await get('rules');
      const groups = data['groups'] as { rules: { name: string; health: string; state?: string }[] }[];
      const all = groups.flatMap((group) => group.rules);
      const raised = all.filter(({ state }) => state === 'pending' || state === 'firing');
      return {
        rules: all.length,
        failed: all.filter(({ health }) => health !== 'ok'),
        // The disk of this machine may be nearly full.
        raised: raised.map(({ name }) => name).filter((name) => !name.startsWith('LingualoopStorage')),
      };
    };
    const written = [...rules.matchAll(/- (alert|record): /g)].length;
    await expect
      .poll(evaluated, patient)
      .toEqual({ rules: written, failed: [], raised: ['LingualoopDeadJobs'] });

    const emptyPanels = async () => {
      const empty: unknown[] = [];
      for (const { title, targets = [] } of charts)
        for (const { expr } of targets) {
          const { status, error, results } = await query(expr.replaceAll('$__rate_interval', '30s'));
          const isEmpty = results.length === 0 && !mayBeEmpty.has(title);
          if (isEmpty || status !== 'success') empty.push({ title, status, error });
        }
      return empty;
    };
    await expect.poll(emptyPanels, patient).toEqual([]);
  },
);
