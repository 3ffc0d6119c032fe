import { beforeEach, describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { type Finding, findingsAfterJudgement } from '#server/translation/findings.ts';
import { env } from '#test/factories.ts';
import { askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { heldReply, liveEngine } from '#test/translations/live.ts';
import { tasks } from '#workers/tasks.ts';
import { savingIn } from './saving.ts';
import { type Documents, openDocuments } from './workspace.ts';

const found = (severity: QualityIssue['severity'], explanation: string): QualityIssue => ({
  severity,
  category: 'accuracy',
  span: null,
  explanation,
  suggestion: null,
});

const sentences: Record<string, string> = {
  'The tenant pays the rent at the start of each month.':
    'Le locataire paie le loyer à la fin de chaque mois',
  'The landlord repairs the roof of the house in summer.':
    'Le propriétaire répare le toit de la maison en été',
  'The keys are handed over to the neighbor on the last day.':
    'Les clés sont remises au voisin le dernier jour',
  'The deposit of 300 euros is due today.': 'La caution de 300 euros est due aujourd’hui',
};
const [rent, roof, keys, due] = Object.keys(sentences) as [string, string, string, string];
const text = (source: string) => sentences[source] as string;

const fake = await startFakeOpenAi();
/** The score and the findings of the judge by the words of the translation. */
const judging = translatingReply({
  translate: text,
  repair: (translation) => translation,
  score: ({ data }) =>
    data.segments.some(({ translation }) => translation?.startsWith('Les clés')) ? 40 : 95,
  issues: ({ data }) => {
    const translations = data.segments.map(({ translation }) => translation ?? '').join(' ');
    return [
      ...(translations.includes('à la fin') ? [found('critical', `not at the end: ${translations}`)] : []),
      ...(translations.includes('répare le toit') ? [found('minor', 'clumsy')] : []),
    ];
  },
});
const app = useTestApp({ env, engine: liveEngine(fake) });

let mine: Documents;
let reviewers: ReturnType<typeof savingIn>;
beforeEach(async () => {
  fake.otherwise(judging);
  mine = await openDocuments(app);
  reviewers = savingIn(app, mine);
});

const qualities = async (id: string) =>
  (await mine.segments(id)).segments.map((one: { quality: unknown }) => one.quality);
const quality = async (id: string) => (await qualities(id))[0];
const resolve = (id: string, seen: string, fields: object, as = mine.admin) =>
  mine.mutate('resolve', { document_id: id, position: 0, target_text: seen, ...fields }, as);
const recheck = (id: string, as = mine.admin) =>
  mine.mutate('recheck', { document_id: id, positions: [0] }, as);
/** A document whose critical finding is about the text before a full stop was added. */
async function edited() {
  const { id } = await mine.translate([rent]);
  const { status } = await reviewers.save(id, [[0, text(rent), `${text(rent)}.`]]);
  expect(status).toBe(200);
  const { issues } = await quality(id);
  return { id, finding_id: issues[0].id as string, seen: `${text(rent)}.` };
}
const reason = 'The contract says so in clause 8.';

test('a full stop clears no finding: it is not rechecked, and blocks what it blocked', async () => {
  const ids = await Promise.all(
    [rent, roof, keys].map(async (source) => (await mine.translate([source])).id),
  );
  for (const [index, source] of [rent, roof, keys].entries())
    await reviewers.save(ids[index] as string, [[0, text(source), `${text(source)}.`]]);
  const [critical, minor, low] = await Promise.all(ids.map(quality));
  expect(critical).toMatchObject({
    score: null,
    needs_review: true,
    issues: [{ severity: 'critical', status: 'not_rechecked' }],
  });
  expect(minor).toMatchObject({
    needs_review: false,
    issues: [{ severity: 'minor', status: 'not_rechecked' }],
  });
  // A low score without a finding is one from now on.
  expect(low).toMatchObject({
    score: null,
    needs_review: true,
    issues: [{ severity: 'major', status: 'not_rechecked' }],
  });
  const [id] = ids as [string];
  const confirmed = await reviewers.save(id, [[0, `${text(rent)}.`, `${text(rent)}.`, true]]);
  expect([confirmed.status, confirmed.body.error_code]).toEqual([409, 'critical_findings']);
  for (const other of ids) {
    const statuses = other === id ? ['todo', 'draft', 'warning'] : ['todo', 'draft'];
    const all = await mine.mutate('confirmAll', { document_id: other, statuses }, mine.admin);
    expect(all.body).toMatchObject({ confirmed: 0, left: 1 });
  }
  const approved = await mine.mutate('approve', { document_id: id }, mine.admin);
  expect([approved.status, approved.body.error_code]).toEqual([409, 'critical_findings']);
  const many = await mine.mutate('approveMany', { document_ids: [id], confirm_unopened: [id] }, mine.admin);
  expect(many.body.results).toMatchObject([{ outcome: 'left_out', reason: 'critical_findings' }]);
});

describe('resolving a finding', () => {
  test.each(['fixed', 'not_an_error', 'accepted'])(
    'as %s stores who, when and why, and unblocks the segment',
    async (resolution) => {
      const { id, finding_id, seen } = await edited();
      const refused = await resolve(id, seen, { finding_id, resolution });
      expect(refused.status).toBe(422);
      const { status, body } = await resolve(id, seen, { finding_id, resolution, reason });
      expect(status).toBe(200);
      const by = expect.stringMatching(/@example\.org$/);
      expect(await quality(id)).toMatchObject({
        needs_review: false,
        issues: [{ status: resolution, resolution: { by, at: expect.any(String), reason } }],
      });
      expect(await reviewers.history(id)).toMatchObject([
        { kind: 'resolved', by, reason: { code: resolution, note: reason } },
        {},
      ]);
      // Another wording needs another look only if the finding was called fixed.
      await reviewers.save(id, [[0, seen, `${seen}.`]]);
      const next = resolution === 'fixed' ? 'not_rechecked' : resolution;
      expect((await quality(id)).issues).toMatchObject([{ status: next }]);
      const undone = await reviewers.undo(id, body.change_id);
      expect(undone.status).toBe(409);
    },
  );

  test('can be undone; a second reviewer, a stale text and another workspace change nothing', async () => {
    const { id, finding_id, seen } = await edited();
    const decision = { finding_id, resolution: 'accepted', reason };
    expect((await resolve(id, text(rent), decision)).status).toBe(409);
    const stranger = await openDocuments(app);
    for (const call of [resolve(id, seen, decision, stranger.admin), recheck(id, stranger.admin)])
      expect((await call).status).toBe(404);
    const both = await Promise.all([
      resolve(id, seen, decision),
      resolve(id, seen, { ...decision, resolution: 'fixed' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const change = both.find(({ status }) => status === 200)?.body.change_id;
    expect((await reviewers.undo(id, change)).status).toBe(200);
    expect(await quality(id)).toMatchObject({ needs_review: true, issues: [{ status: 'not_rechecked' }] });
  });

  test('as fixed needs a changed text', async () => {
    const { id } = await mine.translate([rent]);
    const [{ id: finding_id }] = (await quality(id)).issues;
    const { status } = await resolve(id, text(rent), { finding_id, resolution: 'fixed', reason });
    expect(status).toBe(400);
  });
});

describe('checking again', () => {
  test('renews the finding of the judge if it still applies, and ends it if not', async () => {
    const { id, seen } = await edited();
    expect((await recheck(id)).body).toMatchObject({ rechecked: [0] });
    const renewed = await quality(id);
    expect(renewed).toMatchObject({
      score: 95,
      needs_review: true,
      issues: [{ severity: 'critical', status: 'open' }],
    });
    const right = seen.replace('à la fin', 'au début');
    await reviewers.save(id, [[0, seen, right]]);
    await recheck(id);
    expect(await quality(id)).toEqual({ score: 95, needs_review: false, issues: [] });
  });

  test('ignores a late response about an older wording', async () => {
    const { id, seen } = await edited();
    const late = heldReply(judging);
    fake.otherwise(late.held);
    const checking = recheck(id);
    await late.reached;
    await reviewers.save(id, [[0, seen, 'Le locataire paie le loyer à la fin du mois']]);
    late.letGo();
    expect((await checking).body).toMatchObject({ rechecked: [] });
    expect((await quality(id)).issues).toMatchObject([{ status: 'not_rechecked' }]);
  });

  test('a confirmed segment is checked once in the background, and loses its confirmation for a new critical error', async () => {
    const { id } = await mine.translate([roof]);
    const wrong = 'Le propriétaire répare le toit à la fin de l’été';
    await reviewers.save(id, [[0, text(roof), wrong, true]]);
    const payload = { tenantId: mine.tenantId, documentId: id, after: -1 };
    const judged = () => fake.requests.filter((one) => askedOf(one).role === 'segment_assessment').length;
    const before = judged();
    await tasks.recheck_findings.run(app.services, payload);
    const [segment] = (await mine.segments(id)).segments;
    expect(segment).toMatchObject({ confirmed_at: null, quality: { needs_review: true } });
    expect((await reviewers.history(id))[0]).toMatchObject({ kind: 'unconfirmed', by: 'judge model' });
    await tasks.recheck_findings.run(app.services, payload);
    expect(judged()).toBe(before + 1);
  });

  test('a confirmed segment is checked if an edit has made a finding of a check vanish, which is shown no longer', async () => {
    const { id } = await mine.translate([due]);
    const wrong = 'La caution de 200 euros est due';
    await reviewers.save(id, [[0, text(due), wrong]]);
    const finding = { status: 'open', found_by: 'check', severity: 'critical' };
    expect((await quality(id)).issues).toMatchObject([finding]);
    const advice = 'La caution de Keep 300 euros est due';
    await reviewers.save(id, [[0, wrong, advice]]);
    expect(await quality(id)).toMatchObject({ needs_review: false, issues: [] });
    const payload = { tenantId: mine.tenantId, documentId: id, after: -1 };
    const judged = () => fake.requests.filter((one) => askedOf(one).role === 'segment_assessment').length;
    const before = judged();
    await tasks.recheck_findings.run(app.services, payload);
    expect(judged(), 'a draft is not checked').toBe(before);
    await reviewers.save(id, [[0, advice, advice, true]]);
    await tasks.recheck_findings.run(app.services, payload);
    expect(judged()).toBe(before + 1);
    await tasks.recheck_findings.run(app.services, payload);
    expect(judged(), 'once').toBe(before + 1);
  });
});

test('undoing a change keeps the findings that the judge has stored since, and confirms no text with a critical one', async () => {
  const { id } = await mine.translate([roof]);
  const better = `${text(roof)}.`;
  await reviewers.save(id, [[0, text(roof), better, true]]);
  const { body: withdrawn } = await reviewers.save(id, [[0, better, better, false]]);
  expect((await mine.segments(id)).segments[0].confirmed_at).toBeNull();
  fake.otherwise(
    translatingReply({
      translate: text,
      repair: (translation) => translation,
      score: () => 50,
      issues: () => [found('critical', 'the season is wrong')],
    }),
  );
  expect((await recheck(id)).status).toBe(200);
  await reviewers.undo(id, withdrawn.change_id);
  const [segment] = (await mine.segments(id)).segments;
  expect(segment).toMatchObject({
    confirmed_at: null,
    quality: {
      needs_review: true,
      issues: expect.arrayContaining([expect.objectContaining({ severity: 'critical' })]),
    },
  });
  const approval = await app.json('POST', `/api/documents/${id}/approve`, {
    headers: mine.admin,
    body: { confirm_critical: false },
  });
  expect(approval.status).toBe(409);
});

test('a decision about a minor finding does not settle a critical one about the same words', () => {
  const span = '100 EUR';
  const minor: Finding = { ...found('minor', 'clumsy'), span, status: 'accepted' };
  const critical = { ...found('critical', 'the source says 1000 EUR'), span };
  expect(findingsAfterJudgement([minor], [critical], [])).toEqual([minor, critical]);
  const again = { ...found('minor', 'clumsy again'), span };
  expect(findingsAfterJudgement([minor], [again], [])).toEqual([minor]);
});

describe('after a change of a glossary', () => {
  const missing = [true, ['The glossary term “couverture” is missing.']];

  /** Adds a glossary whose term the translation of `roof` misses. Returns its ID. */
  async function addGlossary(): Promise<string> {
    const added = new FormData();
    added.append('name', 'Houses');
    added.append('source_lang', 'en');
    added.append('target_lang', 'fr');
    const csv = 'source,target\nroof,couverture';
    added.append('terminology_file', new File([csv], 'terms.csv', { type: 'text/csv' }));
    const upload = await app.request('/api/terminology', {
      method: 'POST',
      headers: mine.admin,
      body: added,
    });
    expect(upload.status).toBe(200);
    return ((await upload.json()) as { id: string }).id;
  }

  const queued = () => openSuperuser(app.superuserUrl)`select j.id, p.payload from graphile_worker.jobs j
    join graphile_worker._private_jobs p using (id) where j.task_identifier = 'recheck_terms'
    and p.payload ->> 'tenantId' = ${mine.tenantId} order by p.payload ->> 'changedAt'`;

  async function runCheck(job: Awaited<ReturnType<typeof queued>>[number] | undefined): Promise<void> {
    await openSuperuser(app.superuserUrl)`
      delete from graphile_worker._private_jobs where id = ${job?.['id']}`;
    await tasks.recheck_terms.run(app.services, job?.['payload']);
  }

  /** Runs the queued checks, as workers do, until none is left. */
  async function runAll(): Promise<void> {
    expect(await queued()).toHaveLength(1);
    for (let [job] = await queued(); job; [job] = await queued()) await runCheck(job);
  }

  const flags = async (of: string) =>
    (await qualities(of)).map((one: unknown) => {
      const { needs_review, issues } = one as { needs_review: boolean; issues: QualityIssue[] };
      return [
        needs_review,
        issues.filter(({ category }) => category === 'terminology').map((issue) => issue.explanation),
      ];
    });

  test('the open segments that its terms concern are marked, and only these', async () => {
    const { id } = await mine.translate([roof]);
    const unconcerned = await mine.translate([keys]);
    const confirmed = await mine.translate([roof]);
    await reviewers.save(confirmed.id, [[0, text(roof), `${text(roof)}.`, true]]);
    expect((await mine.segments(confirmed.id)).segments[0].confirmed_at).not.toBeNull();
    const flagged = async () => (await mine.read(id)).quality_report.metadata.llm_quality.needs_review_units;
    const before = await flags(id);
    const flaggedBefore = await flagged();
    const set = await addGlossary();
    await runAll();
    expect(await flags(id)).toEqual([missing]);
    expect(await flags(unconcerned.id)).not.toContainEqual(missing);
    expect(await flags(confirmed.id)).not.toContainEqual(missing);
    expect(await flagged()).toBe(flaggedBefore + 1);

    await app.json('DELETE', `/api/terminology/${set}`, { headers: mine.admin });
    await runAll();
    expect(await flags(id)).toEqual(before);
  });

  test('a document that is translated during the change is marked, too', async () => {
    const { held, reached, letGo } = heldReply(judging);
    fake.otherwise(held);
    const translating = mine.translate([roof]);
    await reached;
    await addGlossary();
    // The check of all documents comes before this one is translated.
    await runAll();
    fake.otherwise(judging);
    letGo();
    const { id } = await translating;
    expect(await flags(id)).not.toContainEqual(missing);
    await runAll();
    expect(await flags(id)).toEqual([missing]);
    const later = await mine.translate([roof]);
    expect(await queued()).toEqual([]);
    expect(await flags(later.id)).toEqual([missing]);
  });
});
