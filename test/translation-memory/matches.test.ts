import { beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { type Fields, type Headers, submitHeld } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_SOURCE_CHARS: '1000' } });
const pair = { source_lang: 'en', target_lang: 'fr' };

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'memory.matches', type: 'mutation' }, { input: { ...pair, ...input }, headers });

async function matchesOf(source_text: string, input: Fields = {}, of = mine) {
  const { status, body } = await ask({ source_text, ...input }, of.headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.matches;
}

let mine: Sets;
let set: { id: string };
beforeAll(async () => {
  mine = await openSets(app);
  set = await mine.memory([
    { source: 'The kitchen closes at nine.', target: 'La cuisine ferme à neuf heures.', tuid: 'k9' },
    ['The kitchen closes at ten.', 'La cuisine ferme à dix heures.'],
    ['The kitchen closes at ten', 'Fermeture à dix heures'],
    ['Something else entirely', 'Tout autre chose'],
  ]);
});

describe('memory.matches', () => {
  test('has the exact match first, with 100, then the close ones by their likeness', async () => {
    const matches = await matchesOf(' The kitchen  closes at nine. ');
    expect(matches[0]).toEqual({
      kind: 'exact',
      score: 100,
      source_text: 'The kitchen closes at nine.',
      target_text: 'La cuisine ferme à neuf heures.',
      set_id: set.id,
      set_name: 'A memory',
      origin: 'tmx_import',
      tuid: 'k9',
      changed_at: null,
    });
    const close = matches.slice(1);
    expect(close.map(({ kind, source_text }: Fields) => [kind, source_text])).toEqual([
      ['close', 'The kitchen closes at ten.'],
      ['close', 'The kitchen closes at ten'],
    ]);
    // 1 - edits / 27 characters
    expect(close.map(({ score }: { score: number }) => score)).toEqual([88, 85]);
  });

  test('a close match is never 100', async () => {
    const long = `The kitchen closes at nine, ${'and again '.repeat(60)}`;
    const other = await openSets(app);
    await other.memory([[`${long}.`, 'x']]);
    expect(await matchesOf(`${long}!`, {}, other)).toMatchObject([{ kind: 'close', score: 99 }]);
  });

  test('says which pair was approved, and when', async () => {
    const other = await openSets(app);
    await other.memory([['Hello', 'Bonjour']]);
    const job = await submitHeld(app, { bearer: other.headers } as Parameters<typeof submitHeld>[1]);
    await other.review(job, { action: 'modify', final_translation: 'Salut' });
    expect(await matchesOf('Hello', {}, other)).toMatchObject([
      {
        kind: 'exact',
        target_text: 'Salut',
        origin: 'golden_approved',
        set_name: 'golden-approved-en-fr',
        tuid: job,
        changed_at: expect.stringMatching(/^20\d\d-/),
      },
    ]);
  });

  test('reads a page as its reader sees it: its texts have close matches', async () => {
    const page = '<h1>Opening hours</h1><p>The <b>kitchen</b> closes at nine.</p>';
    expect(await matchesOf(page)).toEqual([]);
    expect(await matchesOf(page, { text_type: 'Html' })).toMatchObject([
      { kind: 'close', score: 99, source_text: 'The kitchen closes at nine.' },
      { kind: 'close' },
      { kind: 'close' },
    ]);
  });

  test('of another language pair, another tenant, or an unknown text there are none', async () => {
    const text = 'The kitchen closes at nine.';
    expect(await matchesOf(text, { target_lang: 'de' })).toEqual([]);
    expect(await matchesOf(text, {}, await openSets(app))).toEqual([]);
    expect(await matchesOf('%')).toEqual([]);
    expect(await matchesOf('   ')).toEqual([]);
    expect(await matchesOf(text, { target_lang: 'fr-FR' })).toHaveLength(3);
  });

  test('calls no model', async () => {
    const { embedder } = app.services;
    const refuses = () => Promise.reject(new Error('the model was called'));
    Object.assign(app.services, { embedder: { model: 'a-model', embed: refuses } });
    try {
      expect(await matchesOf('The kitchen closes at nine.')).toHaveLength(3);
    } finally {
      Object.assign(app.services, { embedder });
    }
  });

  test.each([
    ['an empty text', { source_text: '' }, 422],
    ['a text that no job may have', { source_text: '😀'.repeat(1001) }, 413],
  ])('refuses %s', async (_, input, status) => {
    expect((await ask(input, mine.headers)).status).toBe(status);
  });
});
