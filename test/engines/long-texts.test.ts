import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QualityIssue, TranslationTask } from '#server/engines/engine.ts';
import { cutText } from '#server/engines/openai/texts/cut-text.ts';
import { alignPassages } from '#server/engines/openai/texts/passages.ts';
import { languageCodes } from '#server/languages.ts';
import {
  type Asked,
  agreeable,
  askedOf,
  failure,
  gather,
  hang,
  translatingReply,
} from '#test/fakes/openai.ts';
import { failed, issue, plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();

const asked = (): Asked[] => upstream.fake.requests.map(askedOf);
const units = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

const sentence = 'The quick brown fox jumps over the lazy dog, and Dr. Smith pays 3.50 for it. ';
/** Some 50,000 characters: paragraphs of many lengths, of whole sentences. */
const longText = Array.from(
  { length: 60 },
  (_, index) => `${index}: ${sentence.repeat((index % 19) + 1).trim()}`,
)
  .join('\n\n')
  .slice(0, 50_000);
const longTask: TranslationTask = { ...plain, segments: [longText] };

/** Each letter for one of another alphabet: every place of the source can be found again in the translation. */
const cipher = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x3b0 - 0x60));

describe('a long plain text', () => {
  it('comes back whole, in calls of at most 6000 characters that together ask for each word once', async () => {
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

  it('is asked about four groups at a time', async () => {
    upstream.fake.otherwise(gather(4));
    await upstream.engine().translate(longTask, scope);
    expect(upstream.fake.peak).toBe(4);
  });

  it('is cut behind paragraphs and sentences', async () => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().translate(longTask, scope);
    for (const { data } of asked()) {
      expect(data.segments.at(-1)!.text).toMatch(/\.$/);
      expect(data.segments[0]!.text).toMatch(/^\d+: The quick|^The quick/);
    }
  });

  it('tells each call after the first some 500 characters that stand before', async () => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().translate(longTask, scope);
    const contexts = asked().map(({ data }) => ({
      before: data.context_before,
      text: data.segments[0]!.text,
    }));
    expect(contexts.filter(({ before }) => before === null)).toHaveLength(1);
    for (const { before, text } of contexts) {
      if (before === null) expect(longText.startsWith(text)).toBe(true);
      else {
        expect(before).toHaveLength(500);
        expect(longText).toContain(before + text);
      }
    }
  });

  it('fails as its failing group does; the others are ended', async () => {
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

  it('has each of its groups retried by itself', async () => {
    upstream.fake.enqueue(failure(500), failure(429), failure(500));
    upstream.fake.otherwise(translatingReply({ translate: cipher }));
    const answer = await upstream.engine({ OPENAI_MAX_RETRIES: 1 }).translate(longTask, scope);
    expect(answer.value).toEqual([cipher(longText)]);
    expect(upstream.waits).toHaveLength(3);
  });

  it('of a dense script is cut shorter: a character says more', async () => {
    upstream.fake.otherwise(agreeable);
    const text = '敏捷的棕色狐狸跳过了懒狗。'.repeat(700);
    await upstream
      .engine()
      .translate({ ...plain, sourceLang: 'zh-Hans', targetLang: 'en', segments: [text] }, scope);
    for (const { data } of asked()) expect(data.segments[0]!.text.length).toBeLessThanOrEqual(2000);
  });

  it('without spaces gets one between two pieces where the target writes spaces', async () => {
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

  it('of one endless word, or of line breaks only, is no trouble', async () => {
    upstream.fake.otherwise(translatingReply({ translate: (text) => text.toUpperCase() }));
    const word = 'ab'.repeat(10_000);
    const breaks = `a${'\n'.repeat(20_000)}b`;
    const answer = await upstream.engine().translate({ ...plain, segments: [word, breaks] }, scope);
    expect(answer.value).toEqual([word.toUpperCase(), breaks.toUpperCase()]);
  });
});

describe('whitespace around a segment', () => {
  it.each(['  two\n', '\tone', 'end\u00a0', '\ufeffbom', '\u3000全角\u3000', '\n\n\r\nlines\r\n'])(
    'is kept to the letter, whatever the model answers: %j',
    async (segment) => {
      upstream.fake.otherwise(translatingReply({ translate: () => '\n  Wort  ' }));
      const answer = await upstream.engine().translate({ ...plain, segments: [segment, 'x'] }, scope);
      expect(answer.value).toEqual([segment.replace(segment.trim(), 'Wort'), 'Wort']);
      expect(asked()[0]!.data.segments.map(({ text }) => text)).toEqual([segment.trim(), 'x']);
    },
  );

  it('alone is not asked about', async () => {
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

  it('come back in their order, asked about in consecutive groups', async () => {
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

describe('judges of a long text', () => {
  const candidate = [cipher(longText)];

  it('read each place of source and candidate once, side by side', async () => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().assess(longTask, candidate, scope);
    const passages = asked().flatMap(({ data }) => data.segments);
    expect(asked().length).toBeGreaterThan(3);
    for (const { data } of asked())
      expect(units(data.segments.flatMap((one) => [one.source, one.translation]))).toBeLessThanOrEqual(
        24_000,
      );
    for (const { source, translation } of passages) expect(translation).toBe(cipher(source));
    expect(units(passages.map(({ source }) => source))).toBe(longText.length);
  });

  it('read a text whole that does not fall into the same parts', async () => {
    upstream.fake.otherwise(agreeable);
    const merged = [candidate[0]!.replaceAll('\n\n', ' ')];
    await upstream.engine().verify(longTask, merged, scope);
    expect(asked().map(({ data }) => data.segments)).toEqual([
      [{ id: 1, source: longText, translation: merged[0] }],
    ]);
  });

  const ofFirst = ({ data }: Asked): boolean => data.context_before === null;

  it('give the mean of their scores by length, rounded down', async () => {
    upstream.fake.otherwise(translatingReply({ score: (group) => (ofFirst(group) ? 90 : 95) }));
    const { value } = await upstream.engine().assess(longTask, candidate, scope);
    const [first] = asked().filter(ofFirst);
    const share = units(first!.data.segments.map(({ source }) => source)) / longText.length;
    expect(value.score).toBe(Math.floor(95 - 5 * share));
  });

  it('give no more than 10 above the worst: a good mean hides no bad part', async () => {
    upstream.fake.otherwise(translatingReply({ score: (group) => (ofFirst(group) ? 40 : 100) }));
    expect((await upstream.engine().assess(longTask, candidate, scope)).value.score).toBe(50);
  });

  it('pass it only if they all do', async () => {
    upstream.fake.otherwise(translatingReply({ passed: (group) => !ofFirst(group) }));
    expect((await upstream.engine().verify(longTask, candidate, scope)).value.passed).toBe(false);
    upstream.fake.otherwise(translatingReply({ passed: true }));
    expect((await upstream.engine().verify(longTask, candidate, scope)).value.passed).toBe(true);
  });

  it('list the issues of all groups, the worst first, 100 at most', async () => {
    const critical: QualityIssue = { ...issue, severity: 'critical' };
    const minor = Array.from({ length: 60 }, (): QualityIssue => ({ ...issue, severity: 'minor' }));
    upstream.fake.otherwise(
      translatingReply({ issues: (group) => (ofFirst(group) ? minor : [...minor, critical]) }),
    );
    const { issues } = (await upstream.engine().verify(longTask, candidate, scope)).value;
    expect(issues).toHaveLength(100);
    const criticals = issues.filter(({ severity }) => severity === 'critical').length;
    expect(criticals).toBe(asked().length - 1);
    expect(issues.slice(0, criticals).every(({ severity }) => severity === 'critical')).toBe(true);
  });

  it('choose the candidate that wins most of the source', async () => {
    const other = [longText.toUpperCase()];
    // The other candidate wins all groups but the one that is asked about first.
    let groups = 0;
    const prefer = (texts: string[]): number => {
      const shouted = texts.findIndex((text) => !/[a-z\u0370-\u03ff]/.test(text));
      return ++groups === 1 ? 1 - shouted : shouted;
    };
    upstream.fake.otherwise(translatingReply({ prefer }));
    const { value } = await upstream.engine().compare(longTask, [candidate, other], scope);
    expect(groups).toBeGreaterThan(3);
    expect(value.winner).toBe(1);
  });
});

describe('repair of a long text', () => {
  const candidate = cipher(longText);
  const place = candidate.indexOf('23: ');
  const marked = `${candidate.slice(0, place)}FAULT ${candidate.slice(place)}`;
  const fault: QualityIssue = { ...issue, span: 'FAULT', suggestion: 'MENDED' };
  const vague: QualityIssue = { ...issue, severity: 'minor', span: null, suggestion: null };

  it('asks only about the group that the issue stands in, and leaves the rest to the letter', async () => {
    upstream.fake.otherwise(agreeable);
    const { value } = await upstream.engine().repair(longTask, [marked], [fault, vague], scope);
    expect(value).toEqual([marked.replace('FAULT', 'MENDED')]);
    expect(asked()).toHaveLength(1);
    expect(asked()[0]!.data.issues).toEqual([fault, vague]);
    expect(asked()[0]!.data.segments.every(({ approximate }) => !approximate)).toBe(true);
  });

  it.each([
    ['in the source', '23: The quick'],
    ['with other whitespace', '23:\n The  quick'],
  ])('finds a span %s', async (_, span) => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().repair(longTask, [candidate], [{ ...fault, span }], scope);
    expect(asked()).toHaveLength(1);
    expect(
      asked()[0]!
        .data.segments.map(({ source }) => source)
        .join(),
    ).toContain('23: The quick');
  });

  it.each<[string, QualityIssue[]]>([
    ['no issue has a place', [{ ...vague, span: 'nowhere to be found' }]],
    ['no issue is told', []],
    ['an issue without a place is more than minor', [fault, { ...vague, severity: 'major' }]],
  ])('asks about all groups where %s', async (_, issues) => {
    upstream.fake.otherwise(translatingReply({ repair: (text) => text.replaceAll(':', ' –') }));
    const { value } = await upstream.engine().repair(longTask, [marked], issues, scope);
    expect(value).toEqual([marked.replaceAll(':', ' –')]);
    expect(units(asked().flatMap(({ data }) => data.segments.map((one) => one.source)))).toBe(
      longText.length,
    );
  });

  it('keeps every part of a translation that does not fall into the source’s parts', async () => {
    const merged = candidate.replaceAll('\n\n', ' ');
    upstream.fake.otherwise(translatingReply({ repair: (text) => text.replaceAll(':', ' –') }));
    const { value } = await upstream.engine().repair(longTask, [merged], [], scope);
    expect(value).toEqual([merged.replaceAll(':', ' –')]);
    for (const { data } of asked()) {
      for (const { source, translation, approximate } of data.segments) {
        expect(approximate).toBe(true);
        expect(translation.length).toBeLessThanOrEqual(6000);
        expect(source.length).toBeLessThanOrEqual(6000 * 1.1 + 2000);
        // The stretch of source that the passage is of lies in it.
        const words = translation.trim().split(' ').slice(0, 3).join(' ');
        expect(cipher(source.replaceAll('\n\n', ' '))).toContain(words);
      }
    }
  });

  it('fills in a translation that is missing', async () => {
    const task = { ...plain, segments: [' one\n', 'two'] };
    upstream.fake.otherwise(
      translatingReply({ repair: (text, _issues, source) => text || source.trim().toUpperCase() }),
    );
    expect((await upstream.engine().repair(task, ['', 'zwei'], [], scope)).value).toEqual([' ONE\n', 'zwei']);
  });
});

describe('a cut', () => {
  const words = fc.constantFrom(
    'a',
    'word. ',
    'Dr. ',
    '\n\n',
    '\n \n',
    ' ',
    '👨‍👩‍👧‍👦',
    'e\u0301',
    '🇩🇪',
    'ก็',
    '한',
    'क्षि',
    '。',
    '\r\n',
    '\u0301',
    '\ud83d\ude00',
  );
  const text = fc.array(words, { maxLength: 200 }).map((parts) => parts.join(''));

  it('loses nothing, and goes through no grapheme', () => {
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...languageCodes),
        (whole, most, language) => {
          const pieces = cutText(whole, most, language);
          expect(pieces.join('')).toBe(whole);
          let at = 0;
          for (const piece of pieces) {
            const clusters = [...graphemes.segment(piece)];
            // A piece may be longer only where one grapheme is.
            if (piece.length > most) expect(clusters).toHaveLength(1);
            if (at > 0) expect(graphemes.segment(whole).containing(at)!.index).toBe(at);
            at += piece.length;
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('goes behind a paragraph rather than a sentence, a sentence rather than a word, a word rather than a letter', () => {
    const ends = (whole: string, most: number) => cutText(whole, most, 'en')[0];
    expect(ends('One two.\n\nThree. Four five six.', 20)).toBe('One two.\n\n');
    expect(ends('One two three. Four five six.', 20)).toBe('One two three. ');
    expect(ends('One two three four five six.', 20)).toBe('One two three four ');
    expect(ends('Onetwothreefourfivesix.', 20)).toBe('Onetwothreefourfives');
  });

  it('does not hang on a grapheme without end', () => {
    const zalgo = `a${'\u0301'.repeat(49_000)}`;
    expect(cutText(`${zalgo} b`, 6000, 'en')).toEqual([zalgo, ' b']);
  });
});

describe('aligned passages', () => {
  const line = fc.constantFrom('one', 'two words', '  indented', 'e\u0301nd.');
  const gap = fc.constantFrom('\n', '\n\n', '\n \n', '\r\n', '\n\n\n');
  const version = fc
    .array(fc.tuple(line, gap), { minLength: 1, maxLength: 30 })
    .map((parts) => parts.flat().join(''));

  it('are rows whose columns joined are the versions to the letter', () => {
    fc.assert(
      fc.property(version, version, fc.integer({ min: 1, max: 200 }), (source, other, most) => {
        const rows = alignPassages([source, other], units, most);
        expect([0, 1].map((column) => rows.map((row) => row[column]).join(''))).toEqual([source, other]);
      }),
    );
  });

  it('are cut where both have a line, however many blank lines follow it', () => {
    const rows = alignPassages(['\none\n\ntwo\nthree\n', 'eins\nzwei\n\n\ndrei'], units, 1);
    expect(rows).toEqual([
      ['\none\n\n', 'eins\n'],
      ['two\n', 'zwei\n\n\n'],
      ['three\n', 'drei'],
    ]);
  });

  it('are cut between paragraphs where only those are alike', () => {
    const rows = alignPassages(['one\ntwo\n\nthree', 'eins zwei\n\ndrei'], units, 1);
    expect(rows).toEqual([
      ['one\ntwo\n\n', 'eins zwei\n\n'],
      ['three', 'drei'],
    ]);
  });

  it('are the whole where nothing is alike', () => {
    expect(alignPassages(['one\n\ntwo', 'eins zwei'], units, 1)).toEqual([['one\n\ntwo', 'eins zwei']]);
  });
});
