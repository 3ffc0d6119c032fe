import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { InputOf } from '#sdk/procedure-types.ts';
import { storeSegments } from '#web/app/editor/segment-cache.ts';
import { storeAll, UnsavedEdits } from '#web/app/editor/store-all.ts';
import { TermLoader } from '#web/app/editor/term-loader.ts';
import { queryKeys } from '#web/app/query-keys.ts';

describe('terms of the rows', () => {
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

const segment = (target_text: string) => ({ position: 0, target_text });
const pageOf = (text: string) => ({ total: 1, first_index: 0, segments: [segment(text)] });

test('a response that was made before a change of its segments is not shown, and the page is requested again', async () => {
  const queries = new QueryClient();
  const queryKey = queryKeys.documents.segments('document', {}, 0);
  queries.setQueryData(queryKey, pageOf('before'));
  const responses: ((page: object) => void)[] = [];
  const queryFn = () => new Promise<object>((resolve) => responses.push(resolve));
  void queries.fetchQuery({ queryKey, queryFn, staleTime: 0 }).catch(() => undefined);
  expect(responses).toHaveLength(1);
  storeSegments(queries, 'document', [segment('after')] as never);
  responses[0]?.(pageOf('before'));
  await new Promise((resolve) => setTimeout(resolve));
  expect(queries.getQueryData(queryKey)).toEqual(pageOf('after'));
  expect(responses).toHaveLength(2);
  responses[1]?.(pageOf('latest'));
  await expect.poll(() => queries.getQueryData(queryKey)).toEqual(pageOf('latest'));
});

describe('storing all edits before an action', () => {
  afterEach(() => void vi.useRealTimers());

  test('resolves if the service has all of them', async () => {
    await storeAll({ flush: async () => [], all: () => new Map() });
  });

  test('names the segments that the service does not have', async () => {
    const error = await storeAll({ flush: async () => [3, 7], all: () => new Map() }).catch((one) => one);
    expect(error).toBeInstanceOf(UnsavedEdits);
    expect(error.positions).toEqual([3, 7]);
  });

  test('ends without a response of the service', async () => {
    vi.useFakeTimers();
    const all = () => new Map([7, 3].map((position) => [position, {} as never]));
    const storing = storeAll({ flush: () => new Promise(() => {}), all }).catch((one) => one);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await storing).positions).toEqual([3, 7]);
  });
});
