import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { checkPlausibility } from '#server/translation/plausibility/index.ts';
import { declaration } from '../../formats/golden-declaration.ts';
import { pairs as publishedPairs } from '../integrity/pairs.ts';

interface Pair {
  from: string;
  source: string;
  to: string;
  target: string;
}

const isImplausible = ({ from, source, to, target }: Pair) =>
  checkPlausibility({ sourceText: source, targetText: target, sourceLang: from, targetLang: to }).length > 0;

const units = Object.values(
  JSON.parse(readFileSync(new URL('./real-units.json', import.meta.url), 'utf8')) as Record<
    string,
    Record<string, string>[]
  >,
).flat();

const unitPairs: Pair[] = units.flatMap((unit) =>
  Object.entries(unit).flatMap(([from, source]) =>
    Object.entries(unit).flatMap(([to, target]) => (from === to ? [] : [{ from, source, to, target }])),
  ),
);

/**
 * The articles of the Declaration, by language. In the edition in Traditional Chinese, half of article 2 is missing.
 */
const articles = new Map<LanguageCode, string[]>(
  languageCodes.map((code) => [
    code,
    declaration(code)
      .split(/\n\n+/)
      .filter((part) => part.trim() !== ''),
  ]),
);
const articleTwo = articles.get('en')!.findIndex((text) => text.startsWith('Article 2'));
const declarationPairs: Pair[] = languageCodes.flatMap((from, at) =>
  [1, 7, 16].flatMap((step) => {
    const to = languageCodes[(at + step) % languageCodes.length]!;
    return articles.get(from)!.flatMap((source, article) => {
      const target = articles.get(to)![article]!;
      const faulty = [from, to].includes('zh-Hant') && article === articleTwo;
      return faulty ? [] : [{ from, source, to, target }];
    });
  }),
);

const published: Pair[] = publishedPairs.map(({ source, lang, target }) => ({
  from: 'en',
  source,
  to: lang,
  target,
}));

describe('of real translations', () => {
  it.each<[string, Pair[], atLeast: number]>([
    ['strings of software, each language to each', unitPairs, 10_000],
    ['strings of other software, which no bound was chosen by', published, 1000],
    ['articles of the Declaration of Human Rights', declarationPairs, 3000],
  ])('%s: at most 0.3 % are found implausible', (_what, pairs, atLeast) => {
    expect(pairs.length).toBeGreaterThan(atLeast);
    const implausible = pairs.filter(isImplausible);
    expect(implausible.length, JSON.stringify(implausible.slice(0, 5))).toBeLessThanOrEqual(
      0.003 * pairs.length,
    );
  });

  it('below 20 characters 0.2 % at most', () => {
    const short = [...unitPairs, ...published].filter(({ source }) => [...source].length < 20);
    expect(short.length).toBeGreaterThan(2000);
    expect(short.filter(isImplausible).length).toBeLessThanOrEqual(0.002 * short.length);
  });
});

/** Languages that are so similar that a text in one is plausible in the others. */
const alike = [
  ['da', 'nb', 'sv'],
  ['ms', 'id'],
  ['hi', 'mr', 'ne'],
  ['pt-BR', 'pt-PT'],
  ['fr', 'fr-CA'],
  ['es', 'pt-BR', 'pt-PT'],
];
const areAlike = (one: string, other: string) =>
  one === other || alike.some((group) => group.includes(one) && group.includes(other));

describe('of articles of the Declaration above 160 characters', () => {
  const long = declarationPairs.filter(({ source, target }) => source.length > 160 && target.length > 160);
  const share = (pairs: Pair[]) => pairs.filter(isImplausible).length / pairs.length;

  it('98 % are found implausible if the output is the source', () => {
    const echoes = long
      .filter(({ from, to }) => !areAlike(from, to))
      .map((pair) => ({ ...pair, target: pair.source }));
    expect(echoes.length).toBeGreaterThan(1000);
    expect(share(echoes)).toBeGreaterThan(0.98);
  });

  it('98 % are found implausible if the output is in a third language', () => {
    const wrong = long.flatMap((pair, at) => {
      const asked = languageCodes[(at * 11) % languageCodes.length]!;
      return areAlike(asked, pair.to) || areAlike(asked, pair.from) ? [] : [{ ...pair, to: asked }];
    });
    expect(wrong.length).toBeGreaterThan(1000);
    expect(share(wrong)).toBeGreaterThan(0.98);
  });
});
