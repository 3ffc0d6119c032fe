import { describe, expect, it } from 'vitest';
import { agreeable, failure, gather, hang, translatingReply } from '#test/fakes/openai.ts';
import {
  cipher,
  failed,
  issue,
  longTask,
  longText,
  plain,
  scope,
  units,
  useAskedUpstream,
} from '../live-engine.ts';

const { upstream, asked } = useAskedUpstream();

describe('a long plain text', () => {
  it('comes back whole, in calls of at most 6000 characters that together send each word once', async () => {
    upstream.fake.otherwise(translatingReply({ translate: cipher }));
    const answer = await upstream.engine().translate(longTask, scope);
    expect(answer.value).toEqual([cipher(longText)]);
    const sizes = asked().map(({ data }) => units(data.segments.map(({ text }) => text)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6000);
    expect(sizes.length).toBeLessThanOrEqual(Math.ceil(longText.length / 3000));
    expect(sizes.length).toBeGreaterThan(longText.length / 6000);
    const words = asked().flatMap(({ data }) =>
      data.segments.flatMap(({ text }) => text.match(/\S+/g) ?? []),
    );
    expect(words).toHaveLength(longText.match(/\S+/g)!.length);
    expect([answer.inputTokens, answer.outputTokens]).toEqual([100 * sizes.length, 10 * sizes.length]);
    expect(answer.models).toEqual(['translator-1']);
  });

  it('is translated in four concurrent calls at most', async () => {
    upstream.fake.otherwise(gather(4));
    await upstream.engine().translate(longTask, scope);
    expect(upstream.fake.peak).toBe(4);
  });

  it('gives each call after the first some 500 characters of preceding context', async () => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().translate(longTask, scope);
    const contexts = asked().map(({ data }) => ({
      before: data.context_before,
      text: data.segments[0]!.text,
    }));
    expect(contexts.filter(({ before }) => before === undefined)).toHaveLength(1);
    for (const { before, text } of contexts) {
      if (before === undefined) expect(longText.startsWith(text)).toBe(true);
      else {
        expect(before).toHaveLength(500);
        expect(longText).toContain(before + text);
      }
    }
  });

  it('fails when one of its groups fails; the others are aborted', async () => {
    let requests = 0;
    upstream.fake.otherwise((response, request) =>
      ++requests === 3
        ? failure(400, { code: 'content_filter' })(response, request)
        : hang(response, request),
    );
    const error = await failed(upstream.engine().translate(longTask, scope));
    expect(error.code).toBe('content_filtered');
    expect(upstream.fake.requests.length).toBeLessThanOrEqual(4);
  });

  it('of a dense script is cut shorter, because a character says more', async () => {
    upstream.fake.otherwise(agreeable);
    const text = '敏捷的棕色狐狸跳过了懒狗。'.repeat(700);
    await upstream
      .engine()
      .translate({ ...plain, sourceLang: 'zh-Hans', targetLang: 'en', segments: [text] }, scope);
    for (const { data } of asked()) expect(data.segments[0]!.text.length).toBeLessThanOrEqual(2000);
  });

  it('without spaces gets one between two pieces if the target writes spaces', async () => {
    const text = '敏捷的棕色狐狸跳过了懒狗。'.repeat(300);
    const japanese = { ...plain, sourceLang: 'ja', segments: [text] };
    upstream.fake.otherwise(translatingReply({ translate: () => 'One sentence.' }));
    const [spaced] = (await upstream.engine().translate({ ...japanese, targetLang: 'en' }, scope)).value;
    const pieces = asked().length;
    expect(spaced).toBe(Array(pieces).fill('One sentence.').join(' '));
    const [unspaced] = (await upstream.engine().translate({ ...japanese, targetLang: 'zh-Hans' }, scope))
      .value;
    expect(unspaced).toBe('One sentence.'.repeat(pieces));
  });
});

describe('whitespace around a segment', () => {
  it.each(['  two\n', 'end\u00a0', '\u3000全角\u3000'])(
    'is kept to the letter, whatever the model answers: %j',
    async (segment) => {
      upstream.fake.otherwise(translatingReply({ translate: () => '\n  Wort  ' }));
      const answer = await upstream.engine().translate({ ...plain, segments: [segment, 'x'] }, scope);
      expect(answer.value).toEqual([segment.replace(segment.trim(), 'Wort'), 'Wort']);
      expect(asked()[0]!.data.segments.map(({ text }) => text)).toEqual([segment.trim(), 'x']);
    },
  );

  it('alone is not sent to the model', async () => {
    upstream.fake.otherwise(agreeable);
    const blank = { ...plain, segments: [' ', '\n\t', '\u00a0'] };
    const engine = upstream.engine();
    const nothing = { models: [], inputTokens: 0, outputTokens: 0 };
    expect(await engine.translate(blank, scope)).toEqual({ value: blank.segments, ...nothing });
    expect(await engine.repair(blank, blank.segments, [issue], scope)).toEqual({
      value: blank.segments,
      ...nothing,
    });
    expect((await engine.verify(blank, blank.segments, scope)).value).toMatchObject({
      score: 100,
      passed: true,
    });
    expect((await engine.compare(blank, [blank.segments, blank.segments], scope)).value.winner).toBe(0);
    expect(upstream.fake.requests).toEqual([]);
    await engine.translate({ ...plain, segments: [' ', 'x', '\n'] }, scope);
    expect(asked()[0]!.data.segments).toEqual([{ id: 1, text: 'x' }]);
  });
});

describe('many segments', () => {
  const segments = Array.from({ length: 3000 }, (_, index) => `segment ${index}`);

  it('come back in their order, sent in consecutive groups', async () => {
    upstream.fake.otherwise(translatingReply({ translate: (text) => text.replace('segment', 'Stück') }));
    const answer = await upstream.engine().translate({ ...plain, segments }, scope);
    expect(answer.value).toEqual(segments.map((text) => text.replace('segment', 'Stück')));
    for (const { data } of asked()) {
      expect(JSON.stringify(data.segments).length).toBeLessThan(12_000);
      expect(data.segments.map(({ id }) => id)).toEqual(data.segments.map((_, index) => index + 1));
      const first = segments.indexOf(data.segments[0]!.text);
      expect(data.segments.map(({ text }) => text)).toEqual(
        segments.slice(first, first + data.segments.length),
      );
    }
  });
});
