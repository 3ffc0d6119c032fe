import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { keyed, openWorkspace, useWorkspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const tight = useTestApp({ env: { ...env, MAX_BATCH_ITEMS: '3', MAX_SOURCE_CHARS: '20' } });

const mine = useWorkspace(app);

const to = (...codes: string[]) => codes.map((Language) => ({ Language }));
const item = (Text: unknown, ...codes: string[]) => ({ Text, Targets: to(...codes) });

/** Expects that the complete batch is rejected, without creating any job. */
async function expectRefused(body: unknown, status: number, detail?: RegExp, by = mine) {
  const answer = await by.submit(body, keyed('refused'));
  expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).toBe(status);
  if (detail) expect(answer.body.detail).toMatch(detail);
  expect(await by.list()).toEqual([]);
  expect(await by.usage()).toEqual([]);
  return answer.body.detail;
}

describe('at most 50 (input × target) pairs (B 8)', () => {
  test('51 are 413: by inputs, by targets, by both', async () => {
    const many = (count: number, ...codes: string[]) =>
      Array.from({ length: count }, (_, at) => item(`Text ${at}`, ...codes));
    const refusal = /^batch exceeds MAX_BATCH_ITEMS/;
    await expectRefused({ inputs: many(51, 'fr') }, 413, refusal);
    await expectRefused({ inputs: many(1, ...Array(51).fill('fr')) }, 413, refusal);
    await expectRefused({ inputs: many(17, 'fr', 'de', 'es') }, 413, refusal);
  });

  test('MAX_BATCH_ITEMS moves the ceiling; a single text counts 1', async () => {
    const at = await openWorkspace(tight);
    await expectRefused(
      { inputs: [item('a', 'fr', 'de'), item('b', 'fr', 'de')] },
      413,
      /MAX_BATCH_ITEMS/,
      at,
    );
    expect((await at.submit({ inputs: [item('a', 'fr', 'de'), item('b', 'fr')] })).status).toBe(200);
    expect((await at.submit({ source_text: 'a', target_lang: 'fr' })).status).toBe(200);
  });
});

describe('the text of an item (B 2.5, 8)', () => {
  test('more than MAX_SOURCE_CHARS in any of them is 413; exactly as many are taken', async () => {
    const at = await openWorkspace(tight);
    const refusal = /^source text exceeds MAX_SOURCE_CHARS/;
    await expectRefused({ inputs: [item('fine', 'fr'), item('x'.repeat(21), 'fr')] }, 413, refusal, at);
    expect((await at.submit({ inputs: [item('😀'.repeat(20), 'fr')] })).status).toBe(200);
  });

  test('a blank one is 400, and the item is named', async () => {
    const inputs = ['a', 'b', 'c', '\n\u00a0', 'e'].map((text) => item(text, 'fr'));
    const detail = await expectRefused({ inputs }, 400);
    expect(detail).toMatch(/\b3\b/);
    for (const other of [0, 1, 2, 4]) expect(detail).not.toMatch(new RegExp(`\\b${other}\\b`));
  });
});

describe('unsupported codes in a batch are 422 with the validation text (B 4.1)', () => {
  test.each(['en-US', ''])('target %j', async (code) => {
    const detail = await expectRefused({ inputs: [item('One', 'de'), item('Two', 'fr', code)] }, 422);
    expect(typeof detail).toBe('string');
    for (const supported of ['en', 'pt-BR', 'zh-Hans', 'ne'])
      expect(detail).toMatch(new RegExp(`\\b${supported}\\b`));
  });

  test('source', async () => {
    await expectRefused({ inputs: [{ ...item('One', 'de'), Language: 'fr-FR' }] }, 422, /\bpt-BR\b/);
  });
});

describe('an invalid batch is 422 (A 7.1, B 7)', () => {
  test.each([
    ['no inputs', { inputs: [] }],
    ['no targets', { inputs: [{ Text: 'One', Targets: [] }] }],
    ['the text left out', { inputs: [{ Targets: to('fr') }] }],
    ['a target without Language', { inputs: [{ Text: 'One', Targets: [{ Tone: 'formal' }] }] }],
    ['inputs that are no array', { inputs: item('One', 'fr') }],
    ['an input that is null', { inputs: [null] }],
  ])('%s', async (_, body) => {
    await expectRefused(body, 422);
  });
});
