import { describe, expect, it } from 'vitest';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import { SegmentationRules } from '#server/matching/sentences/srx-rules.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

type Rule = [breaks: 'yes' | 'no', before: string, after: string];

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function srx(
  groups: Record<string, Rule[]>,
  maps: [pattern: string, group: string][],
  cascade = 'yes',
): string {
  const rules = Object.entries(groups).map(
    ([name, list]) =>
      `<languagerule languagerulename="${name}">${list
        .map(
          ([breaks, before, after]) =>
            `<rule break="${breaks}"><beforebreak>${escaped(before)}</beforebreak><afterbreak>${escaped(after)}</afterbreak></rule>`,
        )
        .join('')}</languagerule>`,
  );
  const languages = maps.map(
    ([pattern, group]) => `<languagemap languagepattern="${pattern}" languagerulename="${group}"/>`,
  );
  return `<?xml version="1.0"?><srx xmlns="http://www.lisa.org/srx20" version="2.0">
<header segmentsubflows="yes" cascade="${cascade}"><formathandle type="start" include="no"/></header>
<body><languagerules>${rules.join('')}</languagerules><maprules>${languages.join('')}</maprules></body></srx>`;
}

const compile = (file: string) => new SegmentationRules(Buffer.from(file));
const check = async (file: string) => SegmentationRules.checked(Buffer.from(file), ['en', 'de']);
const one = (...rules: Rule[]) => compile(srx({ all: rules }, [['.*', 'all']]));
const divided = (text: string, rules: SegmentationRules, language = 'en') =>
  sentencesIn(text, language, rules).map(({ start, end }) => text.slice(start, end));

const groups: Record<string, Rule[]> = {
  English: [['no', '\\b(Mr|etc)\\.', '\\s']],
  Russian: [['no', '\\bшт\\.', '\\s']],
  default: [
    ['yes', '[.?!]+["\')]*', '\\s'],
    ['yes', '', '\\n'],
  ],
};

describe('the rules of an SRX file', () => {
  it('apply in order; the first that matches decides', () => {
    const rules = compile(
      srx(groups, [
        ['[Ee][Nn].*', 'English'],
        ['ru', 'Russian'],
        ['.*', 'default'],
      ]),
    );
    expect(divided('Mr. A came etc. "Yes." OK?\nNext; here', rules)).toEqual([
      'Mr. A came etc. "Yes."',
      'OK?',
      'Next; here',
    ]);
    expect(divided('Всего 5 шт. И ещё. Да.', rules, 'ru')).toEqual(['Всего 5 шт. И ещё.', 'Да.']);
    expect(divided('Das ist z. B. So.', rules, 'de')).toEqual(['Das ist z.', 'B.', 'So.']);
  });

  it('are only those of the first map without a cascade', () => {
    const rules = compile(
      srx(
        groups,
        [
          ['en', 'English'],
          ['.*', 'default'],
        ],
        'no',
      ),
    );
    expect(divided('Mr. A. Yes. No', rules)).toEqual(['Mr. A. Yes. No']);
    expect(divided('Mr. A', rules, 'de')).toEqual(['Mr.', 'A']);
  });

  it('leave a language that they do not map to the built-in rules', () => {
    const rules = compile(srx(groups, [['fr', 'default']]));
    expect(divided('Mr. A came. He left.', rules)).toEqual(['Mr. A came.', 'He left.']);
  });

  it('can break without a space, but not inside a word', () => {
    expect(divided('はい。次は？終', one(['yes', '[\\u3002\\uff1f]+', '']), 'ja')).toEqual([
      'はい。',
      '次は？',
      '終',
    ]);
    expect(divided('One two', one(['yes', '', '']))).toEqual(['One two']);
  });

  it('have the classes of ICU', () => {
    expect(divided('a.\u00a0É', one(['yes', '\\.', '\\s\\p{Lu}']))).toEqual(['a.', 'É']);
    expect(divided('٣. B', one(['no', '[\\d]\\.', ''], ['yes', '\\.', '\\s']))).toEqual(['٣. B']);
    expect(divided('é; É', one(['yes', '\\w;', '\\W\\w']))).toEqual(['é;', 'É']);
  });

  it.each([
    ['(?<=a)b', 'conditions such as (?=…) and (?<=…) are not supported'],
    ['a(?!b)', 'conditions such as (?=…) and (?<=…) are not supported'],
    ['a++', 'invalid nested repetition operator'],
    ['(a)\\1', 'invalid escape sequence'],
    ['[\\p{L}&&[^x]]', 'sets in sets are not supported'],
    ['[^\\S]', '\\S is not supported in a set'],
    ['(', 'missing closing )'],
    ['((a{9}){9}){1001}', 'the pattern would have 101101 parts'],
    ['a{1001}', 'invalid repeat count'],
  ])('are refused with the number of a rule with %s', async (pattern, reason) => {
    const rules: Rule[] = [
      ['yes', 'a', ''],
      ['no', '', pattern],
    ];
    await expect(check(srx({ all: rules }, [['.*', 'all']]))).rejects.toThrow(`rule 2: ${reason}`);
  });

  it.each([
    ['<srx version="1.0"/>', 'line 1: only SRX 2.0 is supported'],
    ['<tmx/>', 'line 1: the file is XML but not SRX'],
    ['no', 'the file is not XML'],
    ['<!DOCTYPE srx [<!ENTITY a "b">]><srx version="2.0"/>', 'forbidden XML construct'],
    ['<srx version="2.0"/>', 'the file maps no language to rules'],
    [srx({ a: [['yes', 'a'.repeat(2001), '']] }, [['.*', 'a']]), 'rule 1: a pattern exceeds 2000 characters'],
    [srx({ a: Array(2001).fill(['yes', 'a', '']) }, [['.*', 'a']]), 'the file has more than 2000 rules'],
    [
      srx({ a: Array(200).fill(['yes', 'a{1000}', '']) }, [['.*', 'a']]),
      'the patterns for en would have 200000 parts with all repetitions written out; at most 40000 are allowed',
    ],
    [
      srx({ a: Array(1000).fill(['yes', 'a{1000}', '']) }, [['de', 'a']]),
      'the patterns of the file would have 1000002 parts',
    ],
    [
      srx({ a: [['yes', '', '\\s\\pL{1000}']] }, [['.*', 'a']]),
      'rule 1: the pattern would have 10011 parts with all repetitions written out; at most 4000 are allowed',
    ],
    [
      srx({ a: [['yes', 'a', '']] }, [['\\pL{1000}', 'a']]),
      'the language pattern "\\\\pL{1000}": the pattern would',
    ],
    [srx({ a: [['yes', 'a', '']] }, [['\\pL{1000}|.*', 'a']]), 'at most 4000 are allowed'],
    [srx({}, [['(', 'a']]), 'the language pattern "("'],
    [
      srx({ a: Array(301).fill(['yes', 'a', '']) }, [['de', 'a']]),
      'the file has 301 rules for de; at most 300 are allowed',
    ],
    [' '.repeat(1_000_001), 'the file exceeds 1000000 bytes'],
  ])('are refused: %.60s', async (file, reason) => {
    await expect(check(file)).rejects.toThrow(reason);
  });

  it('that are too large, stored before there was a limit, leave all texts to the built-in rules', () => {
    const stored = (pattern: string) =>
      SegmentationRules.ofStored(srx({ a: [['yes', ';', '\\s']] }, [[pattern, 'a']]));
    expect(divided('a; b. C', stored('.*')!)).toEqual(['a;', 'b. C']);
    expect(stored('\\pL{1000}|.*')).toBeUndefined();
  });

  it('take bounded time, and then leave the rest of a text to the built-in rules', async () => {
    const slow = Array.from({ length: 60 }, (_, at): Rule => ['yes', `[ab. ]*a[ab. ]{${200 + at}}x`, '']);
    const rules = one(...slow, ['yes', '\\.', '\\s']);
    const text = 'ab. Ab. '.repeat(25_000);
    let count = 0;
    // The limit for this text is 0.7 s.
    expect(
      await cpuTime(() => {
        count = sentencesIn(text, 'en', rules).length;
      }),
    ).toBeLessThan(3000);
    // The built-in rules find 2 sentences; how many these rules find depends on the machine.
    expect(count).toBeGreaterThan(1000);
  });

  it('take no more time for many short texts', async () => {
    const slow = Array.from({ length: 60 }, (_, at): Rule => ['yes', `a[abAB. ]{${30 + at}}x`, '']);
    const rules = one(...slow, ['yes', '\\.', '\\s']);
    // Texts without a pattern: the state machine has a new state for nearly each of their characters.
    let seed = 1;
    const letter = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return ['a', 'b', 'b. A', '. B'][seed % 4];
    };
    const texts = Array.from({ length: 3000 }, () => Array.from({ length: 60 }, letter).join(''));
    let count = 0;
    // At most 0.3 s, 20 ms for each second, and 0.2 ms for each text.
    const took = await cpuTime(() => {
      for (const text of texts) count += sentencesIn(text, 'en', rules).length;
    });
    expect(took).toBeLessThan(4000);
    expect(count).toBeGreaterThanOrEqual(3000);
  });
});
