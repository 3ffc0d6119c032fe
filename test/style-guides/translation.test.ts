import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { runQueued } from '#server/texts/queued-series.ts';
import { prefetch } from '#server/translation/leverage/leverage.ts';
import type { TextRequest } from '#server/translation/request.ts';
import { recordStatements } from '#test/bench/recorded-statements.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addStyleGuide, env, type Fields } from '#test/factories.ts';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { startBeside, useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openDocuments } from '../documents/workspace.ts';
import { type Job, outcomesOf } from '../translation-memory/fast-path-jobs.ts';
import { openSets } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';
import { openWorkspace, type Workspace } from '../translations/workspace.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });
const stub = useTestApp({ env });

const source_text = 'Please close the window before you leave the house.';
const german = 'Bitte schließen Sie das Fenster, bevor Sie das Haus verlassen.';
const french = 'Veuillez fermer la fenêtre avant de quitter la maison.';
const text = { source_text, target_lang: 'de' };
/** Awaits review, so that the TM does not serve the next text. */
const held = { ...text, metadata: { requires_human_review: true } };

let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
  fake.requests.length = 0;
  translated(german);
});

/** Sets the model's translation, and its repair of it. */
function translated(translation: string, repaired = translation): void {
  fake.otherwise(translatingReply({ translate: () => translation, repair: () => repaired }));
}

const guide = (fields: Fields, of: Pick<Workspace, 'admin'> = mine, at = app) =>
  addStyleGuide(at, { bearer: of.admin }, { rules: '', ...fields });
const forbid = (term: string, use_instead: string | null = null) => ({
  forbidden_words: [{ term, use_instead }],
});
const styleIssues = (issues: QualityIssue[]) =>
  issues
    .filter(({ category }) => category === 'style')
    .map(({ severity, span, suggestion }) => [severity, span, suggestion]);

/** The messages of the requests so far, with the schema's name. */
const prompts = () =>
  fake.requests.map((request) => ({
    role: askedOf(request).role,
    system: request.body.messages[0]!.content,
    user: request.body.messages[1]!.content,
  }));
const styleOfPrompt = () => JSON.parse(prompts()[0]!.user).style_guide;

describe('the prompt', () => {
  test('of each role has the guide before what differs between texts', async () => {
    await guide({
      target_lang: 'de',
      rules: 'Never translate “Loop”.',
      quotation_marks: '„“',
      spacing: 'none',
      formality: 'formal',
      ...forbid('Benutzer', 'Kunde'),
    });
    await mine.job(text);
    expect(prompts().map(({ role }) => role)).toEqual(['translation', 'assessment', 'verification']);
    for (const { system, user } of prompts()) {
      const data = JSON.parse(user);
      expect(Object.keys(data).slice(0, 3)).toEqual(['source_lang', 'target_lang', 'style_guide']);
      expect(data.style_guide).toEqual({
        rules: ['Never translate “Loop”.'],
        quotation_marks: '„ “',
        spacing: 'no space',
        formality: 'formal',
        forbidden_words: [{ term: 'Benutzer', use_instead: 'Kunde' }],
      });
      expect(system).toContain('- style_guide:');
      expect(system).not.toContain('Loop');
    }
  });

  test('without a guide is the one with a guide, without the guide', async () => {
    await mine.job(held);
    const without = prompts();
    await guide({ target_lang: 'fr', rules: 'Of another language.' });
    fake.requests.length = 0;
    await mine.job(held);
    expect(prompts()).toEqual(without);
    const { target_lang, version } = await guide({ rules: 'Of all languages.' });
    fake.requests.length = 0;
    await mine.job(held);
    for (const [index, { system, user }] of prompts().entries()) {
      const { style_guide, ...rest } = JSON.parse(user);
      expect(style_guide).toEqual({ rules: ['Of all languages.'] });
      expect(JSON.stringify(rest)).toBe(without[index]!.user);
      expect(system.startsWith(without[index]!.system)).toBe(true);
      expect(without[index]!.user).not.toContain('style_guide');
      expect(without[index]!.system).not.toContain('- style_guide:');
    }
    await viaRpc(
      app,
      { path: 'styleGuides.delete', type: 'mutation' },
      { input: { target_lang, version }, headers: mine.admin },
    );
    fake.requests.length = 0;
    await mine.job(held);
    expect(prompts()).toEqual(without);
  });

  test('has the values of the language, and rules and words of both guides', async () => {
    await guide({
      rules: 'General.',
      quotation_marks: '“”',
      spacing: 'none',
      forbidden_words: [
        { term: 'a', use_instead: 'general' },
        { term: 'b', use_instead: null },
      ],
    });
    await guide({
      target_lang: 'de',
      rules: 'German.',
      quotation_marks: '„“',
      formality: 'informal',
      ...forbid('a', 'own'),
    });
    await mine.job(text);
    expect(styleOfPrompt()).toEqual({
      rules: ['General.', 'German.'],
      quotation_marks: '„ “',
      spacing: 'no space',
      formality: 'informal',
      forbidden_words: [
        { term: 'a', use_instead: 'own' },
        { term: 'b', use_instead: null },
      ],
    });
    fake.requests.length = 0;
    translated(french);
    await mine.job({ source_text, target_lang: 'fr' });
    expect(styleOfPrompt()).toMatchObject({ rules: ['General.'], quotation_marks: '“ ”' });
    expect(styleOfPrompt()).not.toHaveProperty('formality');
  });

  test('has no formality if the request has a tone', async () => {
    await guide({ target_lang: 'de', formality: 'informal', rules: 'R' });
    await mine.job({ ...held, tone: 'formal' });
    expect(styleOfPrompt()).toEqual({ rules: ['R'] });
  });

  test('has no guide of another workspace', async () => {
    await guide({ rules: 'Theirs' }, await openWorkspace(app));
    await mine.job(text);
    expect(styleOfPrompt()).toBeUndefined();
  });

  test('has as many forbidden words as fit, and all are checked', async () => {
    const words = Array.from({ length: 200 }, (_, at) => ({
      term: `${'x'.repeat(90)} ${at}`,
      use_instead: null,
    }));
    const word = { term: 'Fenster', use_instead: null };
    await guide({ forbidden_words: words });
    await guide({ target_lang: 'de', forbidden_words: [...words.slice(0, 199), word] });
    await guide({ forbidden_words: words.map(({ term }) => ({ term: `${term} y`, use_instead: null })) });
    const job = await mine.job(text);
    expect(prompts()[0]!.user.length).toBeLessThan(40_000);
    expect(styleOfPrompt().forbidden_words.length).toBeGreaterThan(190);
    expect(styleIssues(job.verification.issues)).toEqual([['major', 'Fenster', null]]);
  });
});

describe('a translation', () => {
  test('with a forbidden word is repaired, and published if that helps', async () => {
    await guide(forbid('Fenster', 'Schaufenster'));
    translated(german, german.replace('Fenster', 'Schaufenster'));
    const job = await mine.job(text);
    expect(job).toMatchObject({
      status: 'published',
      quality_assessment: { score: 84 },
      refinement: { score: 95 },
    });
    expect(job.final_translation).toContain('Schaufenster');
    const repairs = fake.requests.map(askedOf).filter(({ role }) => role === 'repair');
    expect(repairs.map(({ data }) => data.issues)).toEqual([
      [expect.objectContaining({ explanation: 'The style guide forbids “Fenster”.' })],
    ]);
  });

  test('that keeps a forbidden word awaits review, with the issue', async () => {
    await guide(forbid('Fenster', 'Schaufenster'));
    const job = await mine.job(text);
    expect(job.status).toBe('awaiting_review');
    expect(job.agent_run.quality_gate).toMatchObject({ score: 84 });
    expect(job.agent_run.human_review_task.triggers).toEqual([
      { code: 'low_quality_score', severity: 'blocking' },
    ]);
    for (const { issues } of [job.quality_assessment, job.refinement, job.verification])
      expect(styleIssues(issues)).toEqual([['major', 'Fenster', 'Use “Schaufenster”.']]);
  });

  test('with a minor issue is published with a lower score', async () => {
    await guide({ target_lang: 'de', quotation_marks: '„“' });
    translated(`"${german}"`);
    const job = await mine.job(text);
    expect(job).toMatchObject({ status: 'published', agent_run: { quality_gate: { score: 94 } } });
    expect(styleIssues(job.verification.issues).map(([severity, span]) => [severity, span])).toEqual([
      ['minor', `"${german}"`],
    ]);
  });

  test('that keeps the guide has the score of the model', async () => {
    await guide({ target_lang: 'de', formality: 'formal', quotation_marks: '„“', ...forbid('User') });
    const job = await mine.job(text);
    expect(job).toMatchObject({ status: 'published', agent_run: { quality_gate: { score: 95 } } });
  });

  test('of HTML is checked in its texts, not in its markup', async () => {
    await guide({ target_lang: 'de', quotation_marks: '„“', ...forbid('title') });
    const html = { source_text: `<p class="a" title="Close">${source_text}</p>`, text_type: 'Html' };
    fake.otherwise(translatingReply({ translate: (one) => (one === 'Close' ? 'Schließen' : `"${german}"`) }));
    const job = await mine.job({ ...text, ...html });
    expect(styleIssues(job.verification.issues).map(([, span]) => span)).toEqual([`"${german}"`]);
  });

  test('of the stub engine is not checked', async () => {
    const workspace = await openWorkspace(stub);
    await guide(forbid('window'), workspace, stub);
    const job = await workspace.job(text);
    expect(job).toMatchObject({ status: 'published', agent_run: { quality_gate: { score: 92 } } });
  });

  test('of the TM with a forbidden word is not served', async () => {
    const sets = await openSets(app);
    await sets.memory([[source_text, german]], { target_lang: 'de' });
    expect(outcomesOf(await sets.job(text))).toContain('tm_exact');
    await guide(forbid('Fenster'), sets);
    const job = await sets.job(text);
    expect(outcomesOf(job)).toContain('tm_exact_forbidden_word');
    expect(job.status).toBe('awaiting_review');
  });

  test('of an asynchronous request follows the guide at the time of its translation', async () => {
    const { body } = await mine.submit(text, { prefer: 'respond-async' });
    await guide(forbid('Fenster'));
    const [task] = await openSuperuser(app.superuserUrl)`
      select j.payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'run_texts'
      where j.payload ->> 'tenantId' = ${mine.tenantId}`;
    await runQueued(app.services, task!['payload']);
    expect((await mine.read(body.id ?? body[0].id)).status).toBe('awaiting_review');
  });
});

describe('a document', () => {
  test('is translated with the guide, and flags segments with a forbidden word', async () => {
    const files = await openDocuments(app);
    await guide({ rules: 'Short.', ...forbid('Fenster') }, files);
    const { id } = await files.translate([source_text], { target_lang: 'de' });
    expect(styleOfPrompt()).toMatchObject({ rules: ['Short.'] });
    const { segments } = await files.segments(id);
    expect(segments).toHaveLength(1);
    expect(segments[0]).toMatchObject({ quality: { needs_review: true, score: 84 } });
    const { body } = await files.mutate('check', { document_id: id, position: 0, text: german });
    expect(styleIssues(body.issues)).toEqual([['major', 'Fenster', null]]);
  });
});

test('a reviewer sees the issues of a proposed text, with each guide as soon as it is saved, in every process', async () => {
  const beside = await startBeside(app, env);
  onTestFinished(beside.close);
  const { id } = await mine.job(text);
  const issues = async () => {
    const { body } = await viaRpc(
      beside,
      { path: 'translations.check', type: 'mutation' },
      { input: { job_id: id, text: german }, headers: mine.admin },
    );
    return styleIssues(body.issues).map(([, span]) => span);
  };
  expect(await issues()).toEqual([]);
  for (const term of ['Fenster', 'Haus', 'Bitte']) {
    await guide(forbid(term));
    expect(await issues()).toEqual([term]);
    const job: Job = await mine.job(text);
    expect(styleIssues(job.verification.issues).map(([, span]) => span)).toEqual([term]);
  }
});

test('a text reads the guides in the statement that reads the revision of the glossaries', async () => {
  const requests = [{ ...text, source_lang: 'en' }] as unknown as TextRequest[];
  const statements = await recordStatements((tx) => prefetch(tx, requests));
  expect(statements.map(({ text }) => /terminology_sets/.test(text) && /style_guides/.test(text))).toEqual([
    false,
    true,
  ]);
});
