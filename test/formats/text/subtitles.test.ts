import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakLines } from '#server/formats/subtitles/cues.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { textsOf } from './texts.ts';

const srt = `1
00:00:01,000 --> 00:00:03,000
I was going
to the

2
00:00:03,100 --> 00:00:05,000 X1:100
<i>old store</i> when it
rained.

3
00:00:06,000 --> 00:00:07,000
- Who?
- {\\an8}Me!

4
00:00:08,000 --> 00:00:09,000
...

5
00:00:10,000 --> 00:00:11,000
Before a blank line

and after it
`;

const vtt = `WEBVTT - title
Kind: captions

STYLE
::cue { color: red }

NOTE a comment

intro
00:01.000 --> 00:02.500 align:start line:0%
<v Fred>Hi &amp; <c.red>bye</c>, my friend

01:00:03.000 --> 01:00:05.000
One <00:00:04.000>two
`;

describe('subtitles', () => {
  test('a sentence that runs over cues is one segment, and is set back into its cues', async () => {
    const file = textsOf('srt', srt);
    expect(await file.texts()).toEqual([
      'I was going to the old store when it rained.',
      '- Who?- Me!',
      'Before a blank line and after it',
    ]);
    const { text } = await file.rebuild((_, at) =>
      at === 0
        ? [
            'Ich ging zum ',
            { tag: 2, type: 'open', format: 'italic' },
            'alten',
            { tag: 2, type: 'close', format: 'italic' },
            ' ',
            { tag: 1, type: 'void' },
            'Laden, als es regnete.',
          ]
        : null,
    );
    expect(text).toBe(
      srt
        .replace('I was going\nto the', 'Ich ging zum <i>alten</i>')
        .replace('<i>old store</i> when it\nrained.', 'Laden, als es regnete.'),
    );
  });

  test('settings, comments, styles and tags stay, and characters are escaped in WebVTT', async () => {
    const { text } = await textsOf('vtt', vtt).rebuild(({ source }) =>
      source.map((item) => (typeof item === 'string' ? item.replaceAll(/\p{L}+/gu, '<a&b>') : item)),
    );
    expect(text).toBe(
      vtt
        .replace(
          'Hi &amp; <c.red>bye</c>, my friend',
          '&lt;a&amp;b&gt; &amp; <c.red>&lt;a&amp;b&gt;</c>, &lt;a&amp;b&gt; &lt;a&amp;b&gt;',
        )
        .replace('One <00:00:04.000>two', '&lt;a&amp;b&gt; <00:00:04.000>&lt;a&amp;b&gt;'),
    );
  });

  test.each([
    ['vtt', '<v Anna>Who is it?\n<v Bob>It is me.'],
    ['vtt', '<v.loud Anna>who is it\n<v.loud Bob>it is me'],
    ['vtt', '<c.yellow>Who is it?</c>\n<c.cyan>It is me.</c>'],
    ['vtt', '&gt;&gt; Who is it?\n&gt;&gt; It is me.'],
    ['vtt', '&gt;&gt;&gt; Who is it?\n&lrm;- It is me.'],
    ['srt', '<font color="#ffff00">who is it</font>\n<font color="#00ffff">it is me</font>'],
    ['srt', '<font color="#ffff00">Who is it?</font>\nIt is me.'],
    ['srt', '<i>Who is it?</i>\n<i>It is me.</i>'],
    ['srt', '{\\an8}<i>Who is it?</i>\nIt is me.'],
    ['srt', 'Anna: Who is it?\nBob Lee: It is me.'],
    ['srt', '‐ Who is it?\n‐ It is me.'],
    ['srt', '\u202b- من هناك؟\u202c\n\u202b- هذا أنا.\u202c'],
    ['srt', '（アンナ）誰？\n（ボブ）僕だよ'],
    ['srt', '－誰？\n－僕だよ'],
    ['srt', 'アンナ：誰？\nボブ：僕だよ'],
    ['srt', '＞＞ 是谁？\n＞＞ 是我。'],
    ['srt', '<i>誰？</i>\n<i>僕だよ</i>'],
  ] as const)('%s %j: each speaker has a line, in the result as in the source', async (kind, cue) => {
    const head = kind === 'vtt' ? 'WEBVTT\n\n' : '1\n';
    const source = `${head}00:00:01.000 --> 00:00:09.000\n${cue}\n`;
    const file = textsOf(kind, source, 'fr');
    const { segments } = await file.extract();
    const breaks = segments
      .flatMap((one) => one.source)
      .filter((item) => typeof item !== 'string' && item.text === '\n');
    expect(breaks).toHaveLength(1);
    const { text, findings } = await file.rebuild(({ source: own }) =>
      own.map((item) => (typeof item === 'string' ? item.replaceAll(/\p{L}+/gu, 'parler') : item)),
    );
    expect(text.split('\n')).toHaveLength(source.split('\n').length);
    expect(findings).toEqual([]);
    expect(await file.identity()).toBe(source);
  });

  test.each([
    ['srt', '<i>Who is at</i>\n<i>the door?</i>'],
    ['srt', '<i>Who is at</i>\nthe door?'],
    ['srt', '<font color="red">Who is at</font>\n<font color="red">the door?</font>'],
    ['vtt', '<v Anna>Who is at\nthe door?'],
    ['vtt', 'Who is <c.big>at</c>\n<c.big>the</c> door?'],
  ] as const)('%s %j: the sentence of one speaker is joined', async (kind, cue) => {
    const source = `${kind === 'vtt' ? 'WEBVTT\n\n' : '1\n'}00:00:01.000 --> 00:00:09.000\n${cue}\n`;
    expect((await textsOf(kind, source).texts()).map((text) => text.replace(/ +/g, ' '))).toEqual([
      'Who is at the door?',
    ]);
  });

  test('the line of a speaker is broken at the limit, and a cue of another voice is another segment', async () => {
    const cues =
      'WEBVTT\n\n00:01.000 --> 00:09.000\n<v Anna>Who\n<v Bob>Me\n\n00:09.000 --> 00:19.000\n<v Anna>so it is\n\n00:19.000 --> 00:29.000\n<v Anna>really\n';
    const file = textsOf('vtt', cues, 'fr');
    expect(await file.texts()).toEqual(['WhoMe', 'so it is really']);
    const { text } = await file.rebuild(({ source }) =>
      source.map((item) => (typeof item === 'string' ? item.replace('Me', 'mot '.repeat(15).trim()) : item)),
    );
    const lines = text.split('\n').slice(3, 6);
    expect(lines[0]).toBe('<v Anna>Who');
    expect(lines.every((line) => line.replace(/<.*?>/, '').length <= 42)).toBe(true);
    expect(lines.slice(1).join(' ')).toBe(`<v Bob>${'mot '.repeat(15).trim()}`);
  });
});

describe('lines', () => {
  test('are as few as possible, of about the same length, and have all words', () => {
    expect(breakLines('Short text', 'en', 42)).toEqual(['Short text']);
    expect(breakLines('A much longer sentence here that must be broken in two lines.', 'en', 42)).toEqual([
      'A much longer sentence here that',
      'must be broken in two lines.',
    ]);
    const word = fc.string({
      unit: fc.constantFrom('a', 'é', '<i>', '</i>', '.', '漢'),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 30 }),
        fc.constantFrom('en', 'ja', 'th'),
        (words, language) => {
          const text = words.join(' ');
          const lines = breakLines(text, language, language === 'en' ? 42 : 20);
          expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
          if (language === 'en') expect(lines.join(' ').trim()).toBe(text.trim());
        },
      ),
    );
  });

  test('break Japanese between words', () => {
    const lines = breakLines('吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。', 'ja', 20);
    expect(lines.length).toBe(2);
    expect(lines.every((line) => line.length <= 20)).toBe(true);
  });

  test('of long texts and long words take limited time', async () => {
    const text = `${'ab '.repeat(8000)}${'b'.repeat(50)}`;
    const took = await cpuTime(() => expect(breakLines(text, 'en', 42).join(' ')).toHaveLength(24_050));
    expect(took).toBeLessThan(1000);
  });
});
