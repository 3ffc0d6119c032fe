import { beforeEach, describe, expect, test } from 'vitest';
import { findPlaceholders } from '#server/language/text-rules/placeholders.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { recordingEngine, useDocuments } from '../documents/workspace.ts';

const engine = recordingEngine({ live: true });
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const save = async (placeholders: string[]) => {
  const { status } = await viaRpc(
    app,
    { path: 'textRules.save', type: 'mutation' },
    { input: { keys: [], attributes: [], placeholders }, headers: mine.admin },
  );
  expect(status).toBe(200);
};
beforeEach(() => save(['⟦[^⟧]+⟧', 'Ref \\d+/\\w+']));

const words = {
  'and quote': 'et indiquez',
  'when you write to us': 'quand vous nous écrivez',
  'A text for the test': 'Un texte pour le test',
  Press: 'Appuyez sur',
  now: 'maintenant',
};
const french = (text: string): string =>
  Object.entries(words).reduce((done, [english, other]) => done.replaceAll(english, other), text);

/** Makes the engine change a part of its translations. */
const replaced = (from: string, to: string): void => {
  engine.reply = ({ segments }) => segments.map((text) => french(text).replaceAll(from, to));
};
beforeEach(() => replaced('', ''));
const issuesOf = ({ refinement, verification }: Awaited<ReturnType<typeof mine.job>>): string[] =>
  [refinement, verification]
    .flatMap((one) => one?.issues ?? [])
    .map(({ severity, explanation }: Fields) => `${severity}: ${explanation}`);

describe('in a text', () => {
  const source = 'Press ⟦Save all⟧ and quote Ref 12/ab when you write to us.';

  test('the model is told what stays, and a translation with it is published', async () => {
    const job = await mine.job({ source_text: source, target_lang: 'fr' });
    expect(engine.asked[0]).toMatchObject({
      segments: [source],
      notes: ['placeholders: ⟦Save all⟧, Ref 12/ab'],
    });
    expect(job).toMatchObject({ status: 'published', final_translation: french(source) });
  });

  test.each([
    ['is missing', 'Ref 12/ab', 'Réf 12', 'The placeholder Ref 12/ab of the source is missing.'],
    ['is changed', '⟦Save all⟧', '⟦Tout garder⟧', 'The placeholder ⟦Tout garder⟧ is not in the source'],
    ['is new', 'écrivez', 'écrivez ⟦Open⟧', 'The placeholder ⟦Open⟧ is not in the source'],
  ])('a translation in which one %s awaits review', async (_, from, to, explanation) => {
    replaced(from, to);
    const job = await mine.job({ source_text: source, target_lang: 'fr' });
    expect(job.status).toBe('awaiting_review');
    expect(issuesOf(job)).toContainEqual(expect.stringContaining(`critical: ${explanation}`));
  });

  test('a reviewer does not publish a text without one unseen', async () => {
    const job = await mine.job({ source_text: source, target_lang: 'fr', domain: 'legal' });
    const draft = 'Appuyez et indiquez Ref 12/ab quand vous nous écrivez.';
    const review = { job_id: job.id, action: 'modify', final_translation: draft, confirm_unopened: true };
    const { body } = await viaRpc(
      app,
      { path: 'translations.reviewMany', type: 'mutation' },
      { input: { reviews: [review] }, headers: mine.admin },
    );
    expect(body.results).toMatchObject([
      { reason: 'critical_findings', critical_findings: [{ span: '⟦Save all⟧' }] },
    ]);
  });

  test('HTML is checked paragraph by paragraph', async () => {
    engine.reply = ({ segments }) =>
      segments.map((text) =>
        text.includes('⟦') ? 'Appuyez maintenant ici' : 'Indiquez ⟦Save all⟧ quand vous nous écrivez',
      );
    const job = await mine.job({
      source_text: '<p>Press ⟦Save all⟧ now</p><p>Quote it when you write to us</p>',
      text_type: 'Html',
      target_lang: 'fr',
    });
    expect(job.status).toBe('awaiting_review');
  });

  test('without patterns, nothing changes', async () => {
    await save([]);
    replaced('⟦Save all⟧', '⟦Tout garder⟧');
    const job = await mine.job({ source_text: source, target_lang: 'fr' });
    expect(engine.asked[0]).not.toHaveProperty('notes');
    expect(job.status).toBe('published');
  });
});

describe('in a file', () => {
  const translate = async (name: string, content: string) => {
    const { status, body } = await mine.send({ source_document: new File([content], name), wait: 'true' });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.id as string;
  };

  test.each([
    [
      'app.json',
      '{"a": "Press ⟦Save all⟧ now", "b": "⟦Save all⟧"}',
      '{"a": "Appuyez sur ⟦Save all⟧ maintenant", "b": "⟦Save all⟧"}',
    ],
    [
      'a.md',
      'Press ⟦Save all⟧ **now**\n\n⟦Save all⟧\n',
      'Appuyez sur ⟦Save all⟧ **maintenant**\n\n⟦Save all⟧\n',
    ],
    ['a.html', '<p>Press ⟦Save all⟧</p>', '<p>Appuyez sur ⟦Save all⟧</p>'],
    ['a.text', 'Press ⟦Save all⟧\n', 'Appuyez sur ⟦Save all⟧\n'],
  ])(
    '%s: an engine gets a tag instead, and a text of placeholders is not sent',
    async (name, file, expected) => {
      const id = await translate(name, file);
      expect(engine.texts().join()).not.toContain('Save');
      expect(await (await mine.download(id)).text()).toBe(expected);
      const { segments } = await mine.segments(id);
      expect(segments.map(({ quality }: { quality: Fields }) => quality['issues'])).toEqual(
        segments.map(() => []),
      );
    },
  );

  test('a translation without one has a critical finding, also after a correction', async () => {
    // The first reply is without the tag, and the second one without the words.
    engine.reply = ({ segments }) => segments.map(() => 'Appuyez maintenant');
    const id = await translate('app.json', '{"a": "Press ⟦Save all⟧ now"}');
    const [segment] = (await mine.segments(id)).segments;
    expect(segment.quality.needs_review).toBe(true);
    expect(JSON.stringify(segment.quality.issues)).toContain(
      'The placeholder ⟦Save all⟧ of the source is missing',
    );
    const corrections = [{ region_id: segment.region_id, target_text: 'Appuyez sur ⟦Save al⟧' }];
    await mine.reviewDocument(id, { corrections });
    const [corrected] = (await mine.segments(id)).segments;
    expect(JSON.stringify(corrected.quality.issues)).toContain('⟦Save al⟧ is not in the source');
  });
});

test('another workspace has its own patterns, also for equal texts at the same time', async () => {
  const texts = ['a1 b2 c3', 'd4'];
  const [one, other] = await Promise.all([
    findPlaceholders(['[a-c]\\d'], texts, { tenantId: 'one' }),
    findPlaceholders(['\\d'], texts, { tenantId: 'other' }),
  ]);
  expect(one).toEqual([['a1', 'b2', 'c3'], []]);
  expect(other).toEqual([['1', '2', '3'], ['4']]);
});

test('a pattern that was stored without a check sends texts to review', async () => {
  await app.services.database.inTenant(mine.tenantId, (tx) =>
    tx.execute(
      `update tenants set metadata = metadata || '{"text_rules":{"keys":[],"attributes":[],"placeholders":["(a"]}}'`,
    ),
  );
  const job = await mine.job({ source_text: 'A text for the test.', target_lang: 'fr' });
  expect(job.status).toBe('awaiting_review');
  expect(issuesOf(job)).toContainEqual(expect.stringContaining('could not find the placeholders'));
});
