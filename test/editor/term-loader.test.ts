import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { InputOf } from '#sdk/procedure-types.ts';
import { TermLoader } from '#web/app/editor/term-loader.ts';

const french = { source: 'en', target: 'fr' };
const { signal } = new AbortController();

let sent: InputOf<'terminology.matchesOfTexts'>[];
beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
});
afterEach(() => void vi.useRealTimers());

const termOf = (source_term: string) => ({ source_term }) as never;
const create = () =>
  new TermLoader(async (request) => {
    sent.push(request);
    return { results: request.source_texts.map((text) => [termOf(text)]) };
  });

describe('terms of the rows', () => {
  test('are loaded with one request for each language pair, and each row gets its own', async () => {
    const loader = create();
    const german = { source: 'en', target: 'de' };
    const loaded = [
      loader.load({ text: 'a', languages: french, isHtml: false, signal }),
      loader.load({ text: 'b', languages: { ...french }, isHtml: false, signal }),
      loader.load({ text: 'c', languages: german, isHtml: false, signal }),
      loader.load({ text: 'd', languages: french, isHtml: true, signal }),
    ];
    await vi.runAllTimersAsync();
    expect(await Promise.all(loaded)).toEqual(['a', 'b', 'c', 'd'].map((text) => [termOf(text)]));
    expect(
      sent.map(({ source_texts, target_lang, text_type }) => [source_texts, target_lang, text_type]),
    ).toEqual([
      [['a', 'b'], 'fr', 'Plain'],
      [['c'], 'de', 'Plain'],
      [['d'], 'fr', 'Html'],
    ]);
  });

  test('are requested after a pause, and not for rows that were scrolled away since', async () => {
    const loader = create();
    const gone = new AbortController();
    const first = loader.load({ text: 'gone', languages: french, isHtml: false, signal: gone.signal });
    first.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(50);
    const second = loader.load({ text: 'shown', languages: french, isHtml: false, signal });
    gone.abort();
    await vi.advanceTimersByTimeAsync(50);
    expect(sent).toEqual([]);
    await vi.runAllTimersAsync();
    await expect(first).rejects.toBe(gone.signal.reason);
    await second;
    expect(sent.map(({ source_texts }) => source_texts)).toEqual([['shown']]);
  });

  test('fit into the limits of a request, also if a text alone is too long', async () => {
    const loader = create();
    const texts = [...Array.from({ length: 101 }, (_, index) => `${index}`), 'x'.repeat(60_000), 'y'];
    const loaded = texts.map((text) => loader.load({ text, languages: french, isHtml: false, signal }));
    await vi.runAllTimersAsync();
    await Promise.all(loaded);
    expect(sent.map(({ source_texts }) => source_texts.length)).toEqual([100, 1, 1, 1]);
  });

  test('are rejected together with their request, and can be loaded again', async () => {
    let isBroken = true;
    const loader = new TermLoader(async ({ source_texts }) => {
      if (isBroken) throw new Error('offline');
      return { results: source_texts.map(() => []) };
    });
    const load = () => loader.load({ text: 'a', languages: french, isHtml: false, signal });
    const failed = expect(load()).rejects.toThrow('offline');
    await vi.runAllTimersAsync();
    await failed;
    isBroken = false;
    const again = load();
    await vi.runAllTimersAsync();
    expect(await again).toEqual([]);
  });
});
