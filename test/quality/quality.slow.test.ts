import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { viewEngines } from '#server/operations/engines.ts';
import { countQuality, countTenant } from '#server/quality/counting.ts';
import { readSettings } from '#server/settings.ts';
import { env, type Fields, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { viaRpc } from '../contract/call.ts';
import { criticalEngine } from '../documents/saving.ts';
import { openDocuments } from '../documents/workspace.ts';
import { judgingEngine } from '../reviews/judging-engine.ts';
import { callAt, openReviewers, type Reviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env, engine: { ...judgingEngine(), assessEach: criticalEngine().assessEach } });

let mine: Reviewers;
beforeEach(async () => {
  mine = await openReviewers(app);
});

const queries = new Set(['checks', 'marks', 'check', 'calibrations', 'settings', 'report', 'scorecard']);
const ask = async (name: string, input: Fields = {}, as: Person = mine.founder) =>
  viaRpc(
    app,
    { path: `quality.${name}`, type: queries.has(name) ? 'query' : 'mutation' },
    { input, headers: as.bearer },
  );
const call = async (name: string, input: Fields = {}, as: Person = mine.founder) => {
  const { status, body } = await ask(name, input, as);
  expect([status, body?.detail]).toEqual([200, undefined]);
  return body;
};
const sql = () => openSuperuser(app.superuserUrl);
const settings = (fields: Fields = {}) => ({
  sample_percent: 100,
  language_percents: {},
  minor_points: 1,
  major_points: 5,
  critical_points: 25,
  pass_score: 95,
  ...fields,
});

/** Makes all translations and decisions so old that they count, and counts them. */
async function count(of = mine.founder) {
  const { tenantId } = of;
  await sql()`update usage_records set recorded_at = recorded_at - interval '3 minutes' where tenant_id = ${tenantId}`;
  await sql()`update translation_jobs set decided_at = decided_at - interval '12 minutes' where tenant_id = ${tenantId}`;
  await sql()`update document_jobs set approved_at = approved_at - interval '12 minutes' where tenant_id = ${tenantId}`;
  await sql()`update quality_settings set decided_until = null where tenant_id = ${tenantId}`;
  await countTenant(app.services, tenantId);
}
const scores = async () => [
  ...(await sql()`select target_lang, domain, route, score, texts from quality_scores
    where tenant_id = ${mine.founder.tenantId} order by route, score, domain`),
];
const checks = async (origin: string) => [
  ...(await sql()`select * from quality_checks where tenant_id = ${mine.founder.tenantId} and origin = ${origin}
    order by item_id, position`),
];

describe('counting', () => {
  test('sums texts by score and way through the gate, once, and draws published ones at the rate of their language', async () => {
    await call('saveSettings', settings({ sample_percent: 0, language_percents: { fr: 100 } }));
    await mine.job({ source_text: 'One', domain: ' Support ' });
    await mine.job({ source_text: 'Two', domain: 'support' });
    await mine.job({ source_text: 'Three', target_lang: 'de' });
    await mine.job({ source_text: 'doubtful' });
    await mine.job({ source_text: 'wrong' });
    await count();
    const expected = [
      { target_lang: 'fr', domain: '', route: 'held', score: 92, texts: 1 },
      { target_lang: 'fr', domain: '', route: 'held_for_score', score: 40, texts: 1 },
      { target_lang: 'de', domain: '', route: 'published', score: 92, texts: 1 },
      { target_lang: 'fr', domain: 'support', route: 'published', score: 92, texts: 2 },
    ];
    expect(await scores()).toEqual(expected);
    expect(
      (await checks('spot_check')).map((one) => [one['target_lang'], one['state'], one['probability']]),
    ).toEqual([
      ['fr', 'open', 1],
      ['fr', 'open', 1],
    ]);
    await Promise.all([countTenant(app.services, mine.founder.tenantId), countQuality(app.services, {})]);
    expect(await scores()).toEqual(expected);
    expect(await checks('spot_check')).toHaveLength(2);
  });

  test('does not count a text that the translation memory served, nor draw one that was translated long ago', async () => {
    await call('saveSettings', settings());
    await mine.job({ source_text: 'One' });
    await mine.job({ source_text: 'One' });
    await sql()`update usage_records set recorded_at = recorded_at - interval '8 days'
      where tenant_id = ${mine.founder.tenantId}`;
    await count();
    expect((await scores()).map(({ texts }) => texts)).toEqual([1]);
    expect(await checks('spot_check')).toEqual([]);
  });

  test('counts other workspaces if the data of one cannot be counted', async () => {
    const [broken, other] = [await openReviewers(app), await openReviewers(app)].sort((a, b) =>
      a.founder.tenantId < b.founder.tenantId ? -1 : 1,
    ) as [Reviewers, Reviewers];
    for (const one of [broken, other]) {
      const { id } = await one.job();
      await sql()`update usage_records set recorded_at = recorded_at - interval '3 minutes' where job_id = ${id}`;
    }
    await sql()`update translation_jobs set agent_run = jsonb_set(agent_run, '{quality_gate,score}', '"much"')
      where tenant_id = ${broken.founder.tenantId}`;
    await countQuality(app.services, {});
    const counted = await sql()`select tenant_id from quality_scores
      where tenant_id in (${broken.founder.tenantId}, ${other.founder.tenantId})`;
    expect([...counted]).toEqual([{ tenant_id: other.founder.tenantId }]);
  });

  test('collects the decisions about held texts some minutes later', async () => {
    const [approved, edited, rejected, critical] = [
      await mine.job({ source_text: 'doubtful one' }),
      await mine.job({ source_text: 'doubtful two' }),
      await mine.job({ source_text: 'doubtful three' }),
      await mine.job({ source_text: 'wrong' }),
    ];
    await mine.review(edited.id, { action: 'save', final_translation: 'A draft' });
    await mine.review(edited.id, { action: 'approve', final_translation: 'Better' });
    await mine.review(approved.id, { action: 'approve' });
    await mine.review(rejected.id, { action: 'reject' });
    await mine.review(critical.id, { action: 'approve' });
    await countTenant(app.services, mine.founder.tenantId);
    expect(await checks('review')).toEqual([]);
    await count();
    const found = Object.fromEntries(
      (await checks('review')).map((one) => [one['item_id'], [one['verdict'], one['route'], one['score']]]),
    );
    expect(found).toEqual({
      [approved.id]: ['none', 'held_for_score', 40],
      [edited.id]: ['changed', 'held_for_score', 40],
      [rejected.id]: ['rejected', 'held_for_score', 40],
      [critical.id]: ['none', 'held', 92],
    });
    expect((await checks('review')).every((one) => one['checked_by'] === mine.founder.userId)).toBe(true);
  });

  test('replaces a decision that was reopened: by the next one, or by none', async () => {
    const mark = { category: 'terminology', severity: 'major', start: 0, end: 2, note: 'Why' };
    const [again, left] = [
      await mine.job({ source_text: 'doubtful' }),
      await mine.job({ source_text: 'doubtful' }),
    ];
    await call('mark', { item_kind: 'job', item_id: again.id, errors: [mark], known: [] });
    for (const { id } of [again, left]) await mine.review(id, { action: 'approve' });
    const found = async (of: { id: string }) =>
      (await checks('review'))
        .filter((one) => one['item_id'] === of.id)
        .map((one) => [one['state'], one['verdict']])
        .toSorted();
    await count();
    expect(await found(again)).toEqual([['done', 'major']]);
    const reopen = async ({ id }: { id: string }) => {
      await mine.call('reviews.reopen', { kind: 'job', id });
      // Only the time of the event, so that the decision stays before it.
      await sql()`update audit_log set recorded_at = now() - interval '11 minutes 30 seconds' where target = ${id}
        and action = 'review_reopened'`;
    };
    await reopen(again);
    await reopen(left);
    await count();
    expect(await found(left)).toEqual([['replaced', 'none']]);
    expect(await found(again)).toEqual([
      ['open', null],
      ['replaced', 'major'],
    ]);
    await sql()`update quality_checks set checked_at = checked_at - interval '1 hour' where item_id = ${again.id}`;
    await sql()`update audit_log set recorded_at = recorded_at - interval '1 hour' where target = ${again.id}`;
    await mine.review(again.id, { action: 'modify', final_translation: 'Better' });
    await count();
    expect(await found(again)).toEqual([
      ['done', 'major'],
      ['replaced', 'major'],
    ]);
    // The same again changes nothing.
    await count();
    expect(await found(again)).toHaveLength(2);
  });

  test('collects the segments of approved documents with the scores that their changes removed', async () => {
    const documents = await openDocuments(app);
    mine = { ...mine, founder: { ...mine.founder, tenantId: documents.tenantId } };
    const { id } = await documents.translate([
      'Good',
      'doubtful one',
      'doubtful two',
      'doubtful two',
      'doubtful three',
    ]);
    await documents.correct(id, { A3: 'Better' });
    const saved = await documents.mutate(
      'save',
      {
        document_id: id,
        segments: [
          { position: 1, replaces: 'fr of doubtful one', target_text: 'fr of doubtful one', confirmed: true },
        ],
      },
      documents.admin,
    );
    expect(saved.status).toBe(200);
    expect((await documents.approve(id)).status).toBe(200);
    await count();
    expect(await scores()).toMatchObject([
      { route: 'held_for_score', score: 40, texts: 3 },
      { route: 'published', score: 92, texts: 1 },
    ]);
    expect(
      (await checks('review')).map((one) => [one['position'], one['verdict'], one['score'], one['route']]),
    ).toEqual([
      [1, 'none', 40, 'held_for_score'],
      [2, 'changed', 40, 'held_for_score'],
      [4, 'none', 40, 'held_for_score'],
    ]);
  });
});

test('an operator sees how often people change the translations of an engine, by languages', async () => {
  const { services } = app;
  const results = async () => (await viewEngines(services)).results.filter((one) => one.target_lang === 'nl');
  expect(await results()).toEqual([]);
  const documents = await openDocuments(app);
  mine = { ...mine, founder: { ...mine.founder, tenantId: documents.tenantId } };
  const { id } = await documents.translate(['Good', 'doubtful one', 'doubtful two'], { target_lang: 'nl' });
  await documents.correct(id, { A3: 'Beter' });
  expect((await documents.approve(id)).status).toBe(200);
  const { segments } = await documents.segments(id);
  expect(segments.map(({ provenance }: Fields) => provenance)).toEqual([
    { engine: 'stub' },
    { engine: 'stub' },
    { engine: 'reviewer' },
  ]);
  await count();
  const texts = await openReviewers(app);
  const job = await texts.job({ source_text: 'doubtful text', target_lang: 'nl' });
  await texts.review(job.id, { action: 'reject' });
  await count(texts.founder);
  const pair = { engine: 'model', source_lang: 'en', target_lang: 'nl' };
  expect(await results()).toEqual([{ ...pair, checked: 3, changed: 2, serious: 1, repaired: 0 }]);
});

test('the routes of an operator are shown in their order, with what judges', async () => {
  const { services } = app;
  const engines = {
    deepl: { kind: 'deepl', api_key: 'x' },
    local: { kind: 'apertium', url: 'http://a.example' },
  };
  const routes = [
    { from: 'en', to: ['de', 'FR'], domain: ' Legal', use: ['deepl', 'local'] },
    { use: ['local'] },
  ];
  const shown = (more: object) =>
    viewEngines({
      ...services,
      settings: readSettings({ ENGINES: JSON.stringify({ engines, routes, ...more }) }),
    });
  const all = { from: null, to: null, domain: null, text_type: null };
  expect(await shown({ without_judge: 'checks' })).toMatchObject({
    engines: [
      { name: 'deepl', kind: 'deepl' },
      { name: 'local', kind: 'apertium' },
    ],
    routes: [
      { ...all, from: ['en'], to: ['de', 'fr'], domain: 'legal', use: ['deepl', 'local'] },
      { ...all, use: ['local'] },
    ],
    judge: null,
    without_judge: 'checks',
  });
  expect(JSON.stringify(await shown({}))).not.toContain('api_key');
});

describe('the marks of a reviewer', () => {
  const mark = { category: 'terminology', severity: 'major', start: 0, end: 2, note: 'A secret name' };

  test('are replaced by a reviewer who has read them, and say how serious the change was', async () => {
    const documents = await openDocuments(app);
    mine = { ...mine, founder: { ...mine.founder, tenantId: documents.tenantId } };
    const asked = (name: string, input: Fields) =>
      viaRpc(
        app,
        { path: `quality.${name}`, type: queries.has(name) ? 'query' : 'mutation' },
        { input, headers: documents.admin },
      );
    const { id } = await documents.translate([
      'doubtful one',
      'doubtful two',
      'doubtful two',
      'doubtful three',
    ]);
    const item = { item_kind: 'document', item_id: id, position: 2 };
    const first = { ...item, errors: [mark], known: [] };
    const { body } = await asked('mark', first);
    expect(body).toEqual({ item_id: id, position: 2, errors: [mark], marked_by: expect.any(String) });
    // The same again changes nothing; a colleague who has not read these marks removes none.
    expect((await asked('mark', first)).status).toBe(200);
    expect((await asked('mark', { ...item, errors: [], known: [] })).status).toBe(409);
    expect((await asked('mark', { ...item, position: 0, errors: [mark], known: [mark] })).status).toBe(409);
    const outside = [{ ...mark, end: 1000 }];
    expect((await asked('mark', { ...item, errors: outside, known: [mark] })).body).toMatchObject({
      detail: [{ loc: ['body', 'errors', 0, 'end'] }],
    });
    expect((await asked('mark', { ...item, position: 9, errors: [], known: [] })).status).toBe(404);
    expect((await asked('marks', { document_id: id })).body).toEqual({ marks: [body] });

    await documents.correct(id, { A3: 'Better' });
    expect((await documents.approve(id)).status).toBe(200);
    expect((await asked('mark', { ...first, position: 3 })).status).toBe(409);
    await count();
    expect((await checks('review')).map((one) => [one['position'], one['verdict'], one['state']])).toEqual([
      [0, 'none', 'done'],
      [2, 'major', 'done'],
      [3, 'none', 'done'],
    ]);
    expect((await asked('marks', { document_id: id })).body.marks).toHaveLength(1);
  });

  test('are not open checks, are listed until the decision about a text, and are those of one workspace', async () => {
    const { id } = await mine.job({ source_text: 'doubtful' });
    const item = { item_kind: 'job', item_id: id };
    await call('mark', { ...item, errors: [mark], known: [] });
    expect((await call('checks', { origin: 'quality_check' })).open).toBe(0);
    expect((await call('marks')).marks).toMatchObject([{ item_id: id, errors: [mark] }]);
    const other = await openReviewers(app);
    expect((await call('marks', {}, other.founder)).marks).toEqual([]);
    expect((await ask('mark', { ...item, errors: [], known: [mark] }, other.founder)).status).toBe(404);
    expect(
      (await app.json('DELETE', `/api/translations/${id}`, { headers: mine.founder.bearer })).status,
    ).toBe(200);
    expect((await call('marks')).marks).toEqual([]);
    expect(JSON.stringify(await checks('review'))).not.toContain('secret');
  });
});

test('a held segment whose finding was resolved stays a held one', async () => {
  const documents = await openDocuments(app);
  mine = { ...mine, founder: { ...mine.founder, tenantId: documents.tenantId } };
  const { id } = await documents.translate(['wrong', 'Good']);
  const { segments } = await documents.segments(id);
  const [finding] = segments[0].quality.issues;
  const resolved = await documents.mutate(
    'resolve',
    {
      ...{ document_id: id, position: 0, target_text: segments[0].target_text, finding_id: finding.id },
      ...{ resolution: 'not_an_error', reason: 'The client wants it like this' },
    },
    documents.admin,
  );
  expect([resolved.status, resolved.body.detail]).toEqual([200, undefined]);
  await count();
  expect(await scores()).toMatchObject([
    { route: 'held', texts: 1 },
    { route: 'published', texts: 1 },
  ]);
});

/** Publishes texts and draws all of them. Returns the open checks. */
async function drawnChecks(texts = ['One', 'Two']) {
  await call('saveSettings', settings());
  for (const source_text of texts) await mine.job({ source_text });
  await count();
  return (await call('checks', { origin: 'spot_check' })).checks;
}

describe('a spot check', () => {
  test('is blind: it has the texts, and the score only afterwards', async () => {
    const first = (await drawnChecks()).find(({ source_text }: Fields) => source_text === 'One');
    expect(first).toMatchObject({
      origin: 'spot_check',
      item_kind: 'job',
      source_text: 'One',
      verdict: null,
    });
    const open = await call('check', { check_id: first.check_id });
    expect(open).toMatchObject({ target_text: 'fr of One', score: null, errors: [] });
    expect(Object.keys(first)).not.toContain('score');
    expect([first.item_id, open.item_id]).toEqual([null, null]);
    const errors = [{ category: 'accuracy', severity: 'major', start: 0, end: 2, note: 'The language' }];
    const done = await call('decide', { check_id: first.check_id, errors });
    expect(done).toMatchObject({
      verdict: 'major',
      score: 92,
      words: 1,
      errors,
      checked_by: mine.founder.email,
    });
    expect((await call('checks', { origin: 'spot_check' })).open).toBe(1);
    expect((await call('checks', { origin: 'spot_check', state: 'done' })).checks).toHaveLength(1);
  });

  test('has one result: the same again changes nothing, another one is refused', async () => {
    const [{ check_id }] = await drawnChecks();
    const other = await join(app, mine.founder);
    const results = await Promise.all([
      ask('decide', { check_id }),
      ask('decide', { check_id, skip: true }, other),
      ask(
        'decide',
        { check_id, errors: [{ category: 'style', severity: 'minor', start: 0, end: 1 }] },
        other,
      ),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [{ checked_by, state }] = (await checks('spot_check')).filter(
      (one) => one['check_id'] === check_id,
    ) as [Fields];
    const as = checked_by === other.userId ? other : mine.founder;
    const winner = results.findIndex(({ status }) => status === 200);
    const again = [
      {},
      { skip: true },
      { errors: [{ category: 'style', severity: 'minor', start: 0, end: 1 }] },
    ][winner];
    expect((await ask('decide', { check_id, ...again }, as)).status).toBe(200);
    expect(['done', 'skipped']).toContain(state);
  });

  test('refuses errors outside of the translation, and checks of others', async () => {
    const [{ check_id }] = await drawnChecks();
    const error = { category: 'style', severity: 'minor', start: 3, end: 99 };
    const refused = await ask('decide', { check_id, errors: [{ ...error, end: 4 }, error] });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'errors', 1, 'end'], msg: expect.stringContaining('9') }] },
    });
    const stranger = await found(app);
    for (const name of ['check', 'decide'])
      expect((await ask(name, { check_id, note: 'a long enough note' }, stranger)).status).toBe(404);
    expect((await call('checks', { origin: 'spot_check' }, stranger)).checks).toEqual([]);
  });

  test('ends with its text, and so does what members wrote about it', async () => {
    const [open, done] = await drawnChecks(['One', 'Two', 'Three']);
    const errors = [{ category: 'style', severity: 'minor', start: 0, end: 2, note: 'A secret name' }];
    await call('decide', { check_id: done.check_id, errors });
    const items =
      await sql()`select item_id from quality_checks where check_id in (${open.check_id}, ${done.check_id})`;
    for (const { item_id } of items)
      expect(
        (await app.json('DELETE', `/api/translations/${item_id}`, { headers: mine.founder.bearer })).status,
      ).toBe(200);
    expect((await ask('check', { check_id: open.check_id })).status).toBe(404);
    expect(await call('checks', { origin: 'spot_check' })).toMatchObject({ open: 1, checks: [{}] });
    const kept = (await checks('spot_check')).find((one) => one['check_id'] === done.check_id);
    expect(kept).toMatchObject({
      state: 'done',
      verdict: 'minor',
      errors: [{ severity: 'minor', note: '' }],
    });
    expect(JSON.stringify(await checks('spot_check'))).not.toContain('secret');
  });

  test('can be drawn by hand, also if none are drawn automatically', async () => {
    for (const source_text of ['One', 'Two', 'Three', 'doubtful']) await mine.job({ source_text });
    const draw = { origin: 'spot_check', target_lang: 'fr', count: 2 };
    expect(await call('draw', draw)).toEqual({ drawn: 2 });
    expect((await checks('spot_check')).map(({ probability }) => Number(probability).toFixed(3))).toEqual([
      '0.667',
      '0.667',
    ]);
    expect(await call('draw', { ...draw, count: 10 })).toEqual({ drawn: 1 });
    expect(await call('draw', draw)).toEqual({ drawn: 0 });
    const member = await join(app, mine.founder, 'agent_id_developer');
    expect((await ask('draw', draw, member)).status).toBe(403);
  });
});

describe('a quality check', () => {
  const error = { category: 'terminology', severity: 'major', start: 0, end: 4, note: '' };
  /** A text that a reviewer approved, its open quality check, and the people. */
  async function reviewed() {
    const [reviewer, checker] = [await mine.join(), await mine.join()];
    const job = await mine.held({ source_text: 'Take two tablets with water after a meal' });
    await mine.review(job.id, { action: 'approve', final_translation: 'Nehmen Sie zwei' }, reviewer);
    const draw = { origin: 'quality_check', target_lang: 'fr', count: 5, reviewer: reviewer.userId };
    expect(await call('draw', draw)).toEqual({ drawn: 1 });
    const [{ check_id }] = (await call('checks', { origin: 'quality_check' }, checker)).checks;
    return { reviewer, checker, check_id };
  }

  test('is not done by the reviewer, shows the reviewed text, and becomes a score', async () => {
    const { reviewer, checker, check_id } = await reviewed();
    expect((await call('checks', { origin: 'quality_check' }, reviewer)).checks).toEqual([]);
    expect((await ask('decide', { check_id }, reviewer)).status).toBe(403);
    expect((await call('check', { check_id }, checker)).target_text).toBe('Nehmen Sie zwei');
    await call('decide', { check_id, errors: [error, { ...error, severity: 'minor' }] }, checker);
    const card = await call('scorecard');
    const tally = {
      checks: 1,
      words: 8,
      minor: 1,
      major: 1,
      critical: 0,
      points: 6,
      score: 25,
      passes: false,
    };
    expect(card.total).toMatchObject({ ...tally, penalty_per_1000_words: 750 });
    expect(card.reviewers).toMatchObject([{ user_id: reviewer.userId, email: reviewer.email, ...tally }]);
    expect(card.languages).toMatchObject([{ target_lang: 'fr', ...tally }]);
    expect(card.categories).toContainEqual({ category: 'terminology', minor: 1, major: 1, critical: 0 });
    await call('saveSettings', settings({ major_points: 0, minor_points: 0 }));
    expect((await call('scorecard')).total).toMatchObject({ score: 100, passes: true });
  });
});

describe('the report', () => {
  /** Makes texts and spot checks of a past day, with these results by score. */
  async function made(
    results: [score: number, texts: number, checked: number, errors: number, severity: string][],
  ) {
    const tenant_id = mine.founder.tenantId;
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    const rest = { tenant_id, day, target_lang: 'de', domain: 'travel', route: 'published' };
    let id = 0;
    for (const [score, texts, checked, errors, severity] of results) {
      await sql()`insert into quality_scores ${sql()({ ...rest, score, texts })}`;
      const rows = Array.from({ length: checked }, (_, at) => ({
        ...{
          ...rest,
          score,
          origin: 'spot_check',
          item_kind: 'job',
          item_id: String(id),
          position: 0,
          source_lang: 'en',
        },
        ...{ check_id: createHash('md5').update(`${tenant_id} ${id++}`).digest('hex'), state: 'done' },
        ...{
          probability: checked / texts,
          verdict: at < errors ? severity : 'none',
          checked_by: mine.founder.userId,
        },
        checked_at: new Date(Date.now() - 86_400_000),
      }));
      await sql()`insert into quality_checks ${sql()(rows)}`;
    }
    await sql()`insert into quality_settings ${sql()({ tenant_id, counted_at: new Date(), decided_until: new Date() })}
      on conflict (tenant_id) do update set counted_at = excluded.counted_at, decided_until = excluded.decided_until`;
  }

  test('states the share that needed no change with its interval, by language, domain and score', async () => {
    await made([
      [87, 300, 100, 20, 'major'],
      [97, 700, 70, 7, 'minor'],
    ]);
    const report = await call('report');
    expect(report).toMatchObject({ published: 1000, checks: 170, minimum: 85, min_checks: 50 });
    expect(report.no_change.share).toBeCloseTo(0.3 * 0.8 + 0.7 * 0.9, 3);
    expect(report.no_change.low).toBeLessThan(0.87);
    expect(report.no_change.high).toBeGreaterThan(0.87);
    expect(report.major.share).toBeCloseTo(0.06, 3);
    expect(report.languages).toMatchObject([{ target_lang: 'de', published: 1000, checks: 170 }]);
    expect(report.domains).toMatchObject([{ domain: 'travel', published: 1000 }]);
    expect(
      report.bands.map(({ from, checks: of, major, minor }: Fields) => [from, of, major, minor]),
    ).toEqual([
      [85, 100, 20, 0],
      [95, 70, 0, 7],
    ]);
    expect(report.minimums.find(({ minimum }: Fields) => minimum === 90)).toMatchObject({
      published: 700,
      fewer_major: 1,
    });
    expect((await call('report', { target_lang: 'fr' })).no_change).toBeNull();
    expect((await call('report', { domain: ' Travel ' })).checks).toBe(170);
    expect((await ask('report', {}, await join(app, mine.founder, 'agent_id_developer'))).status).toBe(403);
    expect((await ask('report', { from: '2026-02-01', to: '2026-01-01' })).status).toBe(422);
  });

  test('shows that a judge agrees with people less than chance', async () => {
    await made([
      [86, 100, 60, 5, 'minor'],
      [98, 100, 60, 30, 'minor'],
    ]);
    await countTenant(app.services, mine.founder.tenantId);
    const [calibration] = await call('calibrations');
    expect(calibration).toMatchObject({ target_lang: 'de', checks: 120 });
    expect(calibration.agreement.high).toBeLessThan(0.5);
    expect(calibration.steps).toEqual([{ score: 86, value: 85 / 120 }]);
  });
});

test('settings have bounds, and a change is recorded', async () => {
  expect(await call('settings')).toEqual(settings({ sample_percent: 0 }));
  expect(await call('saveSettings', settings({ pass_score: 97.5 }))).toEqual(settings({ pass_score: 97.5 }));
  expect(await eventsOf(app, mine.founder.tenantId, 'quality_settings_changed')).toMatchObject([
    { details: { sample_percent: 100, pass_score: 97.5 } },
  ]);
  for (const wrong of [
    { sample_percent: 101 },
    { language_percents: { fr: -1 } },
    { minor_points: 0.5 },
    // Too small for a number of single precision: the task that counts would fail.
    { language_percents: { fr: 1e-300 } },
    { pass_score: 1e-300 },
  ])
    expect((await ask('saveSettings', settings(wrong))).status).toBe(422);
  expect((await callAt(app, 'quality.saveSettings', settings(), (await mine.join()).bearer)).status).toBe(
    403,
  );
});
