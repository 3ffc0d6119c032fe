import { setImmediate } from 'node:timers/promises';
import type { Database } from '#db/client.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { expectTerms } from '#server/matching/terms/index.ts';
import { requirePremise } from './load.ts';
import { type Random, seededRandom } from './seeded-random.ts';

/** The limit of a pair's terms, and the longest text. */
const characters = 200_000;
const mostTerms = 2000;
const textLength = 50_000;

/** Letters of each script, and whether words have spaces between them. */
const alphabets: [languages: string, letters: string][] = [
  ['el', 'αάβγδεέζηθικλμνξοπρσςτυφχψω'],
  ['ru uk', 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
  ['ar fa ur', 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
  ['hi mr ne', 'कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीु'],
  ['zh-Hans zh-Hant', '的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生'],
  ['ja', 'のにはをたがでてとしれさあるいもかなこよりらまり会社用日本国人カタナスントル'],
  ['ko', '가나다라마바사아자차카타파하계약서을를이은는에서'],
  ['th', 'กขคงจฉชซญดตถทธนบปผฝพฟภมยรลวศษสหอฮะาิีุู'],
  ['de', 'abcdefghijklmnopqrstuvwxyzäöüß'],
];
const latin = 'abcdefghijklmnopqrstuvwxyz';

interface Shape {
  sources: string[];
  targets: string[];
  text: string;
  translation: string;
}

/**
 * The longest uninterrupted work of the event loop, in CPU milliseconds, while the most expensive valid glossaries are compiled, searched
 * for in a text of one character, in the longest text that is searched inline and in the longest of all, and used to check a translation.
 * Long work runs on threads; this measures only what is left to the loop, in CPU time, to which other processes add nothing.
 */
export async function benchGlossarySlices(print: (line: string) => void): Promise<void> {
  // The first one includes the compilation of the code.
  for (let warm = 0; warm < 2; warm++)
    for (const [, shape] of shapesOf('en', seededRandom(2))) await worstSlice('en', shape, [1, 5000]);
  for (const language of languageCodes) {
    const figures: string[] = [];
    let worst = 0;
    for (const [name, shape] of shapesOf(language, seededRandom(3))) {
      const slice = await worstSlice(language, shape, [1, 5000, textLength]);
      worst = Math.max(worst, slice);
      figures.push(`${name} ${slice.toFixed(0)}`);
    }
    print(`${language}: ${worst.toFixed(0)} ms at most (target 50): ${figures.join(', ')}`);
  }
}

async function worstSlice(language: LanguageCode, shape: Shape, lengths: readonly number[]): Promise<number> {
  const glossary = createGlossaries().of(fakeDatabase(shape), 'ann', 'r1', {
    sourceLang: language,
    targetLang: language,
  });
  requirePremise((await glossary.find(shape.text, null)) !== null, 'the glossary is read');
  return longestTurn(async () => {
    for (const length of lengths) {
      const found = await glossary.find(shape.text.slice(0, length), shape.text.slice(0, length));
      await setImmediate();
      const expected = expectTerms(found?.matches ?? []);
      await setImmediate();
      for (const text of [shape.text, shape.translation])
        await glossary.check({ expected, translation: text.slice(0, length), language });
    }
  });
}

/** In ms of this thread's CPU. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let done = false;
  const working = work().finally(() => {
    done = true;
  });
  let last = process.threadCpuUsage();
  while (!done) {
    await setImmediate();
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  }
  await working;
  return longest;
}

function* shapesOf(language: LanguageCode, random: Random): Generator<[string, Shape]> {
  const letters = alphabets.find(([languages]) => languages.split(' ').includes(language))?.[1] ?? latin;
  const word = (length: number) =>
    Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('');
  const phrase = (length: number) => {
    let words = word(4);
    while (words.length < length - 6) words += ` ${word(5)}`;
    return words;
  };
  const many = <T>(count: number, make: (at: number) => T) =>
    Array.from({ length: count }, (_, at) => make(at));
  const [a] = letters as unknown as [string];
  const side = characters / mostTerms - 2;

  const longWords = many(mostTerms, () => word(side));
  yield [
    'long words',
    { sources: longWords, targets: many(mostTerms, () => 'x'), text: fill(longWords, ' '), translation: a },
  ];
  const halves = many(mostTerms, () => phrase(side / 2));
  yield [
    'phrases',
    { sources: halves, targets: halves, text: fill(halves, ' '), translation: fill(halves, ', ') },
  ];
  const alternatives = many(mostTerms, () => phrase(side));
  yield [
    '2000 targets of one term',
    {
      sources: many(mostTerms, () => a),
      targets: alternatives,
      text: a.repeat(textLength),
      translation: fill(alternatives, ' '),
    },
  ];
  const runs = many(440, (at) => a.repeat(at + 1));
  yield [
    'a, aa, aaa',
    { sources: runs, targets: runs, text: a.repeat(textLength), translation: a.repeat(textLength) },
  ];
  const spaced = many(300, (at) => `${a} `.repeat(at + 1).trim());
  yield [
    'a, a a, a a a',
    { sources: spaced, targets: spaced, text: fill([a], ' '), translation: fill([a], ' ') },
  ];
  const marked = many(mostTerms, () => `${word(10)}${'\u0301\u0327'.repeat(18)}`);
  yield [
    'marks',
    {
      sources: marked,
      targets: marked,
      text: fill(marked, ' '),
      translation: `e${'\u0301\u0327'.repeat(textLength / 2)}`,
    },
  ];
  const capitals = many(400, (at) =>
    a
      .toUpperCase()
      .repeat(at + 1)
      .slice(0, 240),
  );
  yield [
    'capitals',
    {
      sources: capitals,
      targets: capitals,
      text: fill([a.toUpperCase().repeat(200)], ' '),
      translation: a.toUpperCase().repeat(textLength),
    },
  ];
}

function fill(pieces: readonly string[], between: string): string {
  let text = '';
  for (let at = 0; text.length < textLength; at++) text += pieces[at % pieces.length] + between;
  return text.slice(0, textLength);
}

/** A database that supports one statement. */
function fakeDatabase({ sources, targets }: Shape): Database {
  const columns = JSON.stringify({
    numbers: [...sources.keys()],
    sources,
    targets,
    cases: sources.map((_, at) => at % 2 === 0),
    priorities: sources.map(() => 0),
  });
  const tx = {
    execute: () => null,
    last: async () => [{ revision: 'r1', set_id: 'one', name: 'One', ...JSON.parse(columns) }],
  };
  const inTenant = async (_: string, work: (scope: unknown) => Promise<unknown>) => {
    await setImmediate();
    return work(tx);
  };
  return { inTenant } as unknown as Database;
}
