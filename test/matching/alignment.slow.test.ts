import { expect, test } from 'vitest';
import { alignTexts } from '#server/matching/alignment/index.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

/** Lengths of the sentences of a text in two languages, as they vary in a real one. */
const lengths = [42, 118, 77, 23, 160, 64, 91, 35, 140, 52, 83, 19, 105, 71, 128, 47];
const sentence = (language: string, index: number, length = lengths[index % lengths.length]!) =>
  `${language}${index % 5 === 0 ? ` ${index + 100}` : ''} ${'xyz uvw '.repeat(40).slice(0, length)}.`;
const source = (count: number) => Array.from({ length: count }, (_, index) => sentence('Satz', index));
const target = (count: number) => Array.from({ length: count }, (_, index) => sentence('Phrase', index));

const pairsOf = ({ links }: ReturnType<typeof alignTexts>) =>
  links.map(({ sources, targets }) => `${sources.join('-')} ${targets.join('-')}`);

test('each sentence is linked to its translation', () => {
  const aligned = alignTexts(source(60), target(60));
  expect(pairsOf(aligned)).toEqual(
    Array.from({ length: 60 }, (_, index) => `${index}-${index + 1} ${index}-${index + 1}`),
  );
  expect(aligned.belongTogether).toBe(true);
  for (const { confidence } of aligned.links) expect(confidence).toBeGreaterThan(0.8);
});

test('a sentence that is translated as two, and two as one, are one link', () => {
  const targets = target(40);
  const [first, second] = [targets[20]!.slice(0, 70), targets[20]!.slice(70)];
  const divided = targets.toSpliced(20, 1, first, second).toSpliced(30, 2, `${targets[29]} ${targets[30]}`);
  const pairs = pairsOf(alignTexts(source(40), divided));
  expect(pairs).toContain('20-21 20-22');
  expect(pairs).toContain('29-31 30-31');
  expect(pairs.at(-1)).toBe('39-40 39-40');
});

test('a heading that only one side has is not part of the link before it', () => {
  const targets = target(40).toSpliced(21, 0, 'Phrase 120: xyz uvw');
  const all = (count: number) => new Set(Array(count).keys());
  const opening = { sources: all(40), targets: all(41) };
  const divided = alignTexts(source(40), targets, opening);
  expect(pairsOf(divided)).toContain('20-21 20-21');
  expect(pairsOf(divided)).toContain('21-21 21-22');
  // Within a paragraph, it can be a part of the translation.
  opening.targets.delete(21);
  expect(pairsOf(alignTexts(source(40), targets, opening))).toContain('20-21 20-22');
});

test('sentences of a paragraph whose division is uncertain are one link', () => {
  const sized = (language: string, ...sizes: number[]) => sizes.map((size) => sentence(language, 1, size));
  const sources = source(40).toSpliced(20, 1, ...sized('Satz', 60, 60, 60));
  const targets = target(40).toSpliced(20, 1, ...sized('Phrase', 92, 92));
  const except = (count: number, ...inner: number[]) =>
    new Set(Array(count).keys()).difference(new Set(inner));
  const opening = { sources: except(42, 21, 22), targets: except(41, 21) };
  const { links } = alignTexts(sources, targets, opening);
  const link = links.find((one) => one.sources[0] === 20);
  expect(link).toMatchObject({ sources: [20, 23], targets: [20, 22] });
  expect(link!.confidence).toBeGreaterThan(0.9);
  expect(links.filter((one) => one.sources[1] - one.sources[0] > 1)).toEqual([link]);
  // A link never spans paragraphs.
  const apart = alignTexts(sources, targets, { ...opening, sources: except(42, 21) });
  expect(pairsOf(apart)).not.toContain('20-23 20-22');
});

test('words in Katakana, and numbers and names without spaces around them, link sentences of Japanese', () => {
  const signs =
    `disk ディスク,server サーバ,partition パーティション,installer インストーラ,kernel カーネル,system システム,
    keyboard キーボード,package パッケージ,memory メモリ,drive ドライブ,parameter パラメータ,directory ディレクトリ,
    file ファイル,menu メニュー,user ユーザ,12 12,430 430,Debian Debian,Linux Linux,grub grub,ARM64 ARM64`
      .split(/,\s*/)
      .map((pair) => pair.split(' ') as [string, string]);
  const sources = signs.map(([sign]) => `It is now the ${sign} that counts.`);
  const targets = signs.map(([, sign]) => `今は${sign}が大事です。`);
  // Only the signs tell that each side lacks a sentence.
  const pairs = pairsOf(alignTexts(sources.toSpliced(18, 1), targets.toSpliced(1, 1)));
  for (let index = 3; index < 17; index++)
    expect(pairs).toContain(`${index}-${index + 1} ${index - 1}-${index}`);
});

test('a passage that one side lacks has no partner, and what follows is linked', () => {
  const pairs = pairsOf(alignTexts(source(120), target(120).toSpliced(40, 25)));
  expect(pairs).toContain('30-31 30-31');
  expect(pairs).toContain('110-111 85-86');
});

test.each([
  ['source', 600, 0],
  ['target', 0, 600],
])('a long chapter that only the %s has does not end the alignment', (_, sources, targets) => {
  const chapter = (language: string, count: number) =>
    Array.from({ length: count }, (_, index) => sentence(language, index + 5000));
  const aligned = alignTexts(
    source(400).toSpliced(200, 0, ...chapter('Satz', sources)),
    target(400).toSpliced(200, 0, ...chapter('Phrase', targets)),
  );
  const pairs = pairsOf(aligned);
  expect(pairs).toContain('150-151 150-151');
  expect(pairs).toContain(`${350 + sources}-${351 + sources} ${350 + targets}-${351 + targets}`);
  expect(aligned.belongTogether).toBe(true);
});

test('texts of other documents do not belong together', () => {
  const other = target(60)
    .toReversed()
    .map((text, index) => `${index + 400} ${text}`);
  expect(alignTexts(source(60), other).belongTogether).toBe(false);
  expect(alignTexts([], []).belongTogether).toBe(false);
  expect(alignTexts(source(30), []).belongTogether).toBe(false);
});

test('texts belong together although only one file numbers them', () => {
  const numbered = source(60).map((text, index) => `8.${index + 300} ${text}`);
  expect(alignTexts(numbered, target(60)).belongTogether).toBe(true);
  const others = target(60).toReversed();
  expect(alignTexts(numbered, others).belongTogether).toBe(false);
});

test.each([
  ['a side without texts', [], target(50)],
  ['thousands of equal texts', Array(5000).fill('Satz 1.'), Array(5000).fill('Phrase 1.')],
  ['a text next to thousands', ['Satz 1.'], target(3000)],
  ['a very long text', [`Satz ${'wort '.repeat(200_000)}`, 'Ende.'], ['Phrase.', 'Fin.']],
  ['empty texts', ['', '', ''], ['', '']],
])('%s is aligned completely', (_, sources, targets) => {
  const { links } = alignTexts(sources as string[], targets as string[]);
  expect(links.at(-1)?.sources[1] ?? 0).toBe(sources.length);
  expect(links.at(-1)?.targets[1] ?? 0).toBe(targets.length);
  for (const [index, link] of links.entries()) {
    expect(link.sources[0]).toBe(links[index - 1]?.sources[1] ?? 0);
    expect(link.targets[0]).toBe(links[index - 1]?.targets[1] ?? 0);
    expect(link.confidence).toBeGreaterThanOrEqual(0);
    expect(link.confidence).toBeLessThanOrEqual(1);
  }
});

test('thousands of equal texts with many words take no longer than others', async () => {
  const equal = Array.from({ length: 64 }, (_, at) => `n${at}/x`).join(' ');
  const [few, many] = [Array<string>(300).fill(equal), Array<string>(12_000).fill(equal)];
  // If each place of a word was read for each text that has it, it would take a minute.
  expect(await cpuTime(() => expect(alignTexts(few, many).links).toHaveLength(12_300))).toBeLessThan(20_000);
}, 180_000);
