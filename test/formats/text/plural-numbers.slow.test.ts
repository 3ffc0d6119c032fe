import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import i18next from 'i18next';
import { describe, expect, test } from 'vitest';
import type { Segment } from '#server/formats/document.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { poPluralsOf } from '#server/formats/messages/plural-forms.ts';
import { textsOf } from './texts.ts';

/*
 * Translated files with plural forms, read by the libraries of the programs that have such files: each number from 0 to
 * 120 gets the text that was translated for its category. The service does not have Slovenian, which has four forms.
 */

const languages = ['ja', 'en', 'pl', 'ru', 'ar', 'sl'] as const;
const numbers = Array.from({ length: 121 }, (_, number) => number);

const xliffStart =
  '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file original="a" source-language="en" datatype="plaintext"><body>';
const xliffEnd = '</body></file></xliff>\n';

const rules = new Map(languages.map((language) => [language, new Intl.PluralRules(language)]));

const categoryOf = (language: (typeof languages)[number], number: number) =>
  rules.get(language)!.select(number);

/** Translates each text as itself with its variant, such as `# files ⟦a few⟧`, and returns the file. */
async function translated(kind: LayoutKind, source: string, language: string) {
  const file = textsOf(kind, source, language, language === 'en' ? 'de' : 'en');
  const { segments } = await file.extract();
  const mark = ({ variant = '' }: Segment) => (variant === '' ? '' : `⟦${variant}⟧`);
  const { text, findings } = await file.rebuild((segment) => [...segment.source, mark(segment)]);
  return { text, segments, findings };
}

describe('ICU messages', () => {
  const names = ['pool', 'bar', 'beach', 'door'];
  const plural = (name: string) => `{${name}, plural, one {# ${name}} other {# ${name}s}}`;

  test.each(languages.flatMap((language) => [1, 2, 4].map((count) => ({ language, count }))))(
    '$language: $count plurals show the forms of their numbers',
    async ({ language, count }) => {
      const own = names.slice(0, count);
      const message = `Near us: ${own.map(plural).join(', ')}.`;
      const { text, segments } = await translated('json', JSON.stringify({ message }), language);
      expect(segments.length).toBeLessThanOrEqual(25);
      const i18n = setupI18n({ locale: language, messages: { [language]: {} } });
      i18n.load(language, { message: compileMessage((JSON.parse(text) as { message: string }).message) });
      for (const number of numbers) {
        const values = Object.fromEntries(own.map((name, at) => [name, (number * (at + 1)) % 121]));
        const shown = i18n._('message', values);
        const forms = [...shown.matchAll(/⟦(.+?)⟧/g)].map(([, variant]) => variant).join(', ');
        const expected = own.map((name) => `${name} ${categoryOf(language, values[name]!)}`).join(', ');
        expect(forms).toBe(expected);
        for (const name of own) expect(shown).toContain(`${values[name]} ${name}`);
      }
    },
  );
});

test('a message that would have too many forms within forms keeps those of the source, with a finding', async () => {
  const inside = (level: number): string =>
    `{a${level}, plural, one {# page${level === 0 ? '' : ` ${inside(level - 1)}`}} other {# pages${level === 0 ? '' : ` ${inside(level - 1)}`}}}`;
  const { text, segments, findings } = await translated('json', JSON.stringify({ message: inside(4) }), 'ar');
  expect(segments.length).toBeLessThanOrEqual(64);
  expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', expect.stringMatching(/^line 1, message: the message has plural forms within plural forms/)],
  ]);
  const i18n = setupI18n({ locale: 'ar', messages: { ar: {} } });
  i18n.load('ar', { message: compileMessage((JSON.parse(text) as { message: string }).message) });
  for (const number of numbers)
    expect(i18n._('message', { a0: number, a1: 3, a2: number, a3: 1, a4: 100 })).toContain('100 pages');
});

test('elements of a page around choices stay there, and the context of each text shows them as text', async () => {
  const page =
    '<p><b>Sent</b> {files.length, plural, =1 {a file} other {{{files.length}} files}} to {n, plural, one {<i>one</i>} other {many}}.</p>\n';
  const file = textsOf('html', page, 'de');
  const { segments } = await file.extract();
  expect(segments.map(({ context }) => context)).toEqual([
    '{files_length} is, for example, “… files”; {n} is, for example, “many”',
    '{files_length} is 1; a part of “Sent {files_length} to {n}.”',
    'files_length: plural form “one”, for numbers such as 1; a part of “Sent {files_length} to {n}.”',
    expect.stringContaining('form “other”'),
    'n: plural form “one”, for numbers such as 1; a part of “Sent {files_length} to {n}.”',
    expect.stringContaining('form “other”'),
  ]);
  expect((await file.rebuild(({ source }) => ['[', ...source, ']'])).text).toBe(
    '<p>[<b>Sent</b> {files.length, plural, =1 {[a file]} one {[{{files.length}} files]} other {[{{files.length}} files]}} to {n, plural, one {[<i>one</i>]} other {[many]}}.]</p>\n',
  );
});

describe('keys of i18next', () => {
  const versions = [
    { version: 'v3' as const, keys: ['year', 'year_plural'] },
    { version: 'v4' as const, keys: ['year_one', 'year_other'] },
  ];

  test.each(languages.flatMap((language) => versions.map((version) => ({ language, ...version }))))(
    '$language, $version: each number shows its form',
    async ({ language, version, keys }) => {
      const [one, other] = keys as [string, string];
      const source = { [one]: '{{count}} year', [other]: '{{count}} years', menu: 'Menu' };
      const { text } = await translated('json', JSON.stringify(source, null, 2), language);
      const program = i18next.createInstance();
      await program.init({
        compatibilityJSON: version,
        lng: language,
        resources: { [language]: { translation: JSON.parse(text) as object } },
      });
      for (const count of numbers)
        expect(program.t('year', { count })).toMatch(
          new RegExp(`^${count} years?⟦cardinal ${categoryOf(language, count)}⟧$`),
        );
      expect(program.t('menu')).toBe('Menu');
    },
  );

  test('version 3: forms of several numbers become two, and lists of numbered keys stay', async () => {
    const source = {
      a_0: '{{count}} rok',
      a_1: '{{count}} roky',
      a_2: '{{count}} let',
      b_0: 'X',
      b_1: 'Y',
      b_2: 'Z',
    };
    const file = textsOf('json', JSON.stringify(source), 'en', 'pl');
    expect(JSON.parse(await file.pseudo())).toEqual({
      a: '[{{count}} rok]',
      a_plural: '[{{count}} let]',
      b_0: '[X]',
      b_1: '[Y]',
      b_2: '[Z]',
    });
  });
});

/** The form that Symfony chooses, by its documented rule: an interval first, then the form of the language's category. */
function chosenBySymfony(message: string, number: number, language: string): string {
  const ruled: string[] = [];
  for (const part of message.split('|').map((one) => one.trim())) {
    const [, exact, open, low, high, close, explicit] =
      /^(?:\{(\d+)\}|([[\]])(-?\d+|-Inf),(-?\d+|\+?Inf)([[\]]))\s*(.*)$/.exec(part) ?? [];
    const [from, to] = [low, high].map((one) =>
      one?.endsWith('Inf') ? Number.POSITIVE_INFINITY : Number(one),
    );
    const isAbove = open === '[' ? number >= from! : number > from!;
    const isBelow = close === ']' ? number <= to! : number < to!;
    if (exact === String(number) || (open !== undefined && isAbove && isBelow)) return explicit!;
    if (explicit === undefined) ruled.push(part.replace(/^\w+:\s*/, ''));
  }
  const { header } = poPluralsOf(language);
  const [, expression] = /plural=(.+);$/.exec(header)!;
  const form = ruled[Number(new Function('n', `return Number(${expression})`)(number))];
  if (form === undefined) throw new Error(`unable to choose a translation of "${message}" for ${number}`);
  return form;
}

describe('forms between bars', () => {
  const files: readonly [kind: LayoutKind, before: string, after: string][] = [
    ['xliff', `${xliffStart}<trans-unit id="a"><source>`, `</source></trans-unit>${xliffEnd}`],
    ['properties', 'a=', '\n'],
    ['po', 'msgid ""\nmsgstr ""\n\nmsgid "', '"\nmsgstr ""\n'],
    ['json', '{"a": "', '"}'],
    ['yaml', 'a: "', '"\n'],
  ];
  const messages = [
    'There is one comment|There are %count% comments',
    '{0} There are no comments|There is one comment|There are %count% comments',
    'one: There is one comment|some: There are %count% comments|]100,Inf] There are many',
  ];

  test.each(
    languages.flatMap((language) =>
      files.map(([kind, before, after]) => ({ language, kind, before, after })),
    ),
  )('$language, $kind: each number has a form', async ({ language, kind, before, after }) => {
    for (const message of messages) {
      const { text: escaped } = await translated(kind, before + message + after, language);
      const text = escaped.replaceAll(/\\u(....)/g, (_, unit: string) =>
        String.fromCharCode(Number.parseInt(unit, 16)),
      );
      const [, written] = /(?:<target[^>]*>|^a=|msgstr "(?=.*⟦)|"a": "|^a: ")(.*⟧)/m.exec(text)!;
      for (const number of numbers) {
        const form = chosenBySymfony(written!, number, language);
        const isExplicit =
          (number === 0 && message.startsWith('{0}')) || (number > 100 && message.includes('Inf'));
        expect(form).toContain(isExplicit ? '⟦form ' : `⟦cardinal ${categoryOf(language, number)}⟧`);
      }
    }
  });

  test('a value of MessageFormat with a bar, and a title with one, are each one text', async () => {
    const source = "a={0} file|{0} files, it''s\nb={0} It''s none|{1} one\nc=Home | Homes\n";
    expect(await textsOf('properties', source).pseudo()).toBe(
      "a=[{0} file|{0} files, it''s]\nb={0} [It''s none]|{1} [one]\nc=[Home | Homes]\n",
    );
  });
});

describe('gettext', () => {
  test.each(languages)('%s: Python chooses the form of each number', async (language) => {
    const source =
      'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n';
    const { text } = await translated('po', source, language);
    const directory = await mkdtemp(join(tmpdir(), 'plural-'));
    try {
      await writeFile(join(directory, 'a.po'), text);
      execFileSync('msgfmt', ['--check-format', '-o', join(directory, 'a.mo'), join(directory, 'a.po')]);
      const program =
        'import gettext, json, sys; t = gettext.GNUTranslations(open(sys.argv[1], "rb")); print(json.dumps([t.ngettext("%d file", "%d files", n) for n in range(121)]))';
      const shown = execFileSync('python3', ['-c', program, join(directory, 'a.mo')], { encoding: 'utf8' });
      const forms = (JSON.parse(shown) as string[]).map((form) => /⟦(.+)⟧/.exec(form)![1]);
      expect(forms).toEqual(numbers.map((number) => categoryOf(language, number)));
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('units of XLIFF', () => {
  const unit = (id: string, source: string) =>
    `<trans-unit id="${id}"><source>${source}</source></trans-unit>`;
  const keys = [
    (category: string) => `%lld people|==|plural.${category}`,
    (category: string) => `%lld in %lld|==|device.iphone.plural.${category}`,
    (category: string) => `%@|==|substitutions.people.plural.${category}`,
    (category: string) => `/%d people:dict/people:dict/${category}:dict/:string`,
    (category: string) => `people_${category}`,
    (category: string) => `people[${category}]`,
  ];

  test.each(languages)('%s: each category of the language has a unit with its form', async (language) => {
    for (const keyOf of keys) {
      const source =
        xliffStart + unit(keyOf('one'), 'a person') + unit(keyOf('other'), '%lld people') + xliffEnd;
      const { text } = await translated('xliff', source, language);
      const units = [
        ...text.matchAll(/<trans-unit id="([^"]*)"><source>([^<]*)<\/source><target[^>]*>(.*?)<\/target>/g),
      ];
      const found = new Map(units.map(([, id, , target]) => [id, target]));
      expect(found.size).toBe(units.length);
      for (const number of numbers) {
        const category = categoryOf(language, number);
        expect(found.get(keyOf(category))).toContain(`⟦cardinal ${category}⟧`);
        // A form for several numbers shows the number.
        const isForOne = numbers.filter((one) => categoryOf(language, one) === category).length === 1;
        if (!isForOne) expect(found.get(keyOf(category))).toContain('%lld');
      }
    }
  });

  test('segments of XLIFF 2.2 for cases get those of the language', async () => {
    const segment = (category: string, text: string) =>
      `<segment id="${category}" pgs:case="${category}"><source>${text}</source></segment>`;
    const source = `<xliff version="2.2" srcLang="en" xmlns="urn:oasis:names:tc:xliff:document:2.2" xmlns:pgs="urn:oasis:names:tc:xliff:pgs:1.0"><file id="f"><unit id="u" pgs:switch="plural:n">${segment('0', 'None')}${segment('other', '<ph id="1"/> files')}</unit><unit id="v" pgs:switch="gender:g">${segment('feminine', 'Her')}${segment('other', 'Their')}</unit></file></xliff>\n`;
    const { text, segments } = await translated('xliff', source, 'pl');
    expect(segments.map(({ variant, context }) => [variant, context])).toEqual([
      ['cardinal 0', 'for the number 0'],
      ['cardinal other', 'plural form “other”, for fractions'],
      ['cardinal one', 'plural form “one”, for numbers such as 1'],
      ['cardinal few', 'plural form “few”, for numbers such as 2, 3, 4, 22, 23'],
      ['cardinal many', 'plural form “many”, for numbers such as 0, 5, 6, 7, 8'],
      [undefined, 'for gender:g = “feminine”'],
      [undefined, 'for gender:g = “other”'],
    ]);
    expect(text).toContain(
      '<segment id="other-few" pgs:case="few" state="translated"><source><ph id="1"/> files</source><target><ph id="1"/> files⟦cardinal few⟧</target></segment>',
    );
  });

  test('the types of variables of a strings dictionary stay', async () => {
    const source =
      xliffStart +
      unit('/a:dict/NSStringLocalizedFormatKey:dict/:string', '%#@n@ of %#@m@') +
      unit('/a:dict/n:dict/NSStringFormatSpecTypeKey:dict/:string', 'NSStringPluralRuleType') +
      unit('/a:dict/n:dict/NSStringFormatValueTypeKey:dict/:string', 'lld') +
      xliffEnd;
    expect(await textsOf('xliff', source).texts()).toEqual(['%#@n@ of %#@m@']);
  });

  test('keys that end with a number word and have no form `other` are other texts', async () => {
    const source = `${xliffStart}${unit('step.one', 'Open')}${unit('step.two', 'Close')}${xliffEnd}`;
    const { segments } = await textsOf('xliff', source, 'ar').extract();
    expect(segments.map(({ variant }) => variant)).toEqual([undefined, undefined]);
  });
});
