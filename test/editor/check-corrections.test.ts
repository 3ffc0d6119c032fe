import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { LanguageCode } from '#server/languages.ts';
import { checkTerms } from '#server/matching/terms/index.ts';
import type { QualityIssue, TaskStyle } from '#server/platform/engines/engine.ts';
import { findIssuesOfText } from '#server/translation/inspection.ts';
import { termIssues } from '#server/translation/leverage/terms.ts';
import { correctionsOf } from '#web/app/editor/corrections.ts';

/** A source, its translation, and the text after the button of the first finding; null: the finding has no button. */
interface Case {
  explains: RegExp;
  texts: [source: string, target: string];
  after: string | null;
  languages?: [source: string, target: string];
  style?: Partial<TaskStyle>;
  /** Target terms of `deposit`: the first is to be used, the others are forbidden. */
  glossary?: [use: string | null, ...forbidden: string[]];
}

const forbids = (term: string, use_instead: string | null) => ({ forbiddenWords: [{ term, use_instead }] });
const noBreak = '\u202f';

const cases: Case[] = [
  // The preferred words of a glossary or style guide stand in the place of forbidden ones.
  {
    explains: /^The glossary forbids/,
    glossary: ['fianza', 'depósito'],
    texts: ['The deposit is due today.', 'El depósito es previsto hoy.'],
    after: 'El fianza es previsto hoy.',
  },
  {
    explains: /^The glossary forbids/,
    glossary: ['fianza', 'depósito'],
    texts: ['Deposit due.', 'Depósito de autodepósitos.'],
    after: 'Fianza de autodepósitos.',
  },
  {
    explains: /^The glossary forbids/,
    glossary: ['garantía', 'la fianza'],
    texts: ['The deposit is due.', 'Pague la  fianza hoy.'],
    after: 'Pague garantía hoy.',
  },
  // Another form of the word: the preferred one may not fit.
  {
    explains: /^The glossary forbids/,
    glossary: ['fianza', 'depósito'],
    texts: ['The deposits are due.', 'Los depósitos vencen.'],
    after: null,
  },
  {
    explains: /^The glossary forbids/,
    glossary: [null, 'depósito'],
    texts: ['The deposit is due.', 'El depósito vence.'],
    after: null,
  },
  {
    explains: /^The glossary forbids/,
    glossary: ['x'.repeat(300), 'depósito'],
    texts: ['The deposit is due.', 'El depósito vence.'],
    after: null,
  },
  {
    explains: /^The glossary term .* is missing/,
    glossary: ['fianza'],
    texts: ['The deposit is due.', 'El importe vence.'],
    after: null,
  },
  {
    explains: /^The glossary term .* occurs 1 times/,
    glossary: ['fianza'],
    texts: ['The deposit is a deposit.', 'La fianza vence.'],
    after: null,
  },
  {
    explains: /^The style guide forbids/,
    style: forbids('usar', 'utilizar'),
    texts: ['You can use the key.', 'Causar: puede usar la llave.'],
    after: 'Causar: puede utilizar la llave.',
  },
  {
    explains: /^The style guide forbids/,
    style: forbids('ürün', 'işlem'),
    languages: ['en', 'tr'],
    texts: ['The request is over.', 'Ürün tamamlandı.'],
    after: 'İşlem tamamlandı.',
  },
  {
    explains: /^The style guide forbids/,
    style: forbids('유저', '사용자'),
    languages: ['en', 'ko'],
    texts: ['There is a user.', '유저가 있습니다'],
    after: '사용자가 있습니다',
  },
  {
    explains: /^The style guide forbids/,
    style: forbids('usar', null),
    texts: ['You can use the key.', 'Puede usar la llave.'],
    after: null,
  },
  {
    explains: /^The style guide requires the quotation marks/,
    style: { quotationMarks: '„“' },
    languages: ['en', 'de'],
    texts: ['Click on "Next" now.', 'Klicken Sie jetzt auf "Weiter".'],
    after: 'Klicken Sie jetzt auf „Weiter“.',
  },
  {
    explains: /^The style guide requires the quotation marks/,
    style: { quotationMarks: '«»', spacing: 'narrow_no_break' },
    languages: ['en', 'fr'],
    texts: ['The word "house" is here.', 'Le mot “maison” est ici.'],
    after: `Le mot «${noBreak}maison${noBreak}» est ici.`,
  },
  {
    explains: /^The style guide requires the quotation marks/,
    style: { quotationMarks: '“”' },
    languages: ['fr', 'en'],
    texts: ['Le mot « maison » est ici.', 'The word « house » is here.'],
    after: 'The word “house” is here.',
  },
  {
    explains: /^The style guide requires the quotation marks/,
    style: { quotationMarks: '„“' },
    languages: ['en', 'de'],
    texts: ['Click on "Next now.', 'Klicken Sie jetzt auf "Weiter.'],
    after: null,
  },
  {
    explains: /^The style guide requires a narrow no-break space/,
    style: { spacing: 'narrow_no_break' },
    languages: ['en', 'fr'],
    texts: ['Attention! The house is here.', 'Attention ! La maison est ici.'],
    after: `Attention${noBreak}! La maison est ici.`,
  },
  {
    explains: /^The style guide requires a narrow no-break space/,
    style: { spacing: 'narrow_no_break' },
    languages: ['en', 'fr'],
    texts: ['The word "house" is here.', 'Le mot «maison» est ici.'],
    after: `Le mot «${noBreak}maison${noBreak}» est ici.`,
  },
  {
    explains: /^The style guide requires no space/,
    style: { spacing: 'none' },
    languages: ['fr', 'en'],
    texts: ['Attention ! La maison est ici.', 'Attention ! The house is here.'],
    after: 'Attention! The house is here.',
  },
  // A number of the source stands in the place of the one that replaced it.
  {
    explains: /^The number 14 of the source is missing/,
    texts: ['In 14 days', 'En 41 días'],
    after: 'En 14 días',
  },
  { explains: /^The number 14 of the source is missing/, texts: ['In 14 days', 'En unos días'], after: null },
  { explains: /^The number 14 occurs less often/, texts: ['14 of 14 days', '14 de los días'], after: null },
  {
    explains: /^The number 5 of the source is given in another unit/,
    texts: ['It is 5 miles away', 'Está a 8 km'],
    after: null,
  },
  { explains: /^The measure 5 kg/, texts: ['Add 5 kg of salt', 'Añada 5 g de sal'], after: null },
  // A person corrects lost and invented parts.
  { explains: /^The placeholder \{name\} of/, texts: ['Hello {name}', 'Hola'], after: null },
  { explains: /^The placeholder \{x\} is not/, texts: ['Hello there', 'Hola {x}'], after: null },
  {
    explains: /^The placeholder .* occurs twice/,
    texts: ['Hello {name}', 'Hola {name} {name}'],
    after: null,
  },
  { explains: /^The placeholder .* less often/, texts: ['{a} or {a} here', '{a} aquí'], after: null },
  { explains: /^The placeholders %s %d are/, texts: ['%s has %d keys', '%d llaves de %s'], after: null },
  {
    explains: /^The choice \{n, plural, …\} of/,
    texts: ['{n, plural, other {# keys}} here', 'llaves aquí'],
    after: null,
  },
  {
    explains: /^The key a of the choice/,
    texts: ['{g, select, a {his} other {their}} key', 'Llave {g, select, other {suya}}'],
    after: null,
  },
  {
    explains: /^The sign #/,
    texts: ['{n, plural, other {# keys}} here', '{n, plural, other {llaves}} aquí'],
    after: null,
  },
  {
    explains: /^The braces around/,
    texts: ['{n, plural, other {# keys}} here', '{n, plural, other {# llaves} aquí'],
    after: null,
  },
  {
    explains: /^The choice .* is not in the source/,
    texts: ['The keys are here', '{n, plural, other {# llaves}} aquí'],
    after: null,
  },
  { explains: /^The tag <b> of the source/, texts: ['A <b>red</b> key', 'Una llave roja'], after: null },
  {
    explains: /^The tag .* no counterpart/,
    texts: ['A <b>red</b> key', 'Una llave </b>roja<b>'],
    after: null,
  },
  { explains: /^The word <file> of/, texts: ['Open <file> now', 'Abra ahora'], after: null },
  {
    explains: /^The attribute href="a" of/,
    texts: ['A <a href="a">red</a> key', 'Una llave <a>roja</a>'],
    after: null,
  },
  { explains: /^The link .* of the source/, texts: ['See https://a.example now', 'Vea ahora'], after: null },
  {
    explains: /^The link .* is not in/,
    texts: ['See the page now', 'Vea https://b.example ahora'],
    after: null,
  },
  { explains: /^The email address .* of/, texts: ['Write to a@b.example', 'Escriba'], after: null },
  {
    explains: /^The email address .* is not/,
    texts: ['Write to me now', 'Escriba a a@b.example'],
    after: null,
  },
  {
    explains: /^The source does not have/,
    texts: ['Click on the key', 'Pulse <script>alert(1)</script> la llave'],
    after: null,
  },
];

const plain: TaskStyle = {
  rules: [],
  quotationMarks: null,
  spacing: null,
  formality: null,
  forbiddenWords: [],
};

function findingsOf(one: Case, text = one.texts[1]): QualityIssue[] {
  const {
    texts: [source],
    languages: [source_lang, target_lang] = ['en', 'es'],
    style,
    glossary,
  } = one;
  const request = {
    ...{ source_text: source, source_lang, target_lang, text_type: 'Plain', tone: null, gender: null },
    ...{ domain: null, metadata: {} },
  } as Parameters<typeof findIssuesOfText>[0]['request'];
  const checks = findIssuesOfText({ request, text, style: style ? { ...plain, ...style } : null });
  let step = checks.next();
  while (!step.done) step = checks.next();
  if (!glossary) return step.value;
  const [use, ...forbiddenTerms] = glossary;
  const count = source.split(/deposit/i).length - 1;
  const terms = {
    sourceTerm: 'deposit',
    targetTerms: use === null ? [] : [use],
    caseSensitive: false,
    count,
  };
  const expected = [{ ...terms, forbiddenTerms }];
  return [...termIssues(checkTerms(expected, text, target_lang as LanguageCode), target_lang), ...step.value];
}

/** The finding of a case, and the text after its button. */
function pressed(one: Case): { finding: QualityIssue | undefined; after: string | null } {
  const {
    texts: [source, target],
    languages: [from, to] = ['en', 'es'],
  } = one;
  const issues = findingsOf(one);
  const finding = issues.find(({ explanation }) => one.explains.test(explanation));
  const languages = { source: from, target: to };
  const correction = finding && correctionsOf(issues, { source, target, languages }).get(finding);
  if (!correction) return { finding, after: null };
  const { start, end, text } = correction;
  return { finding, after: target.slice(0, start) + text + target.slice(end) };
}

test.each(cases.map((one) => [String(one.explains), one.texts[1], one] as const))(
  '%s: %s',
  (_explains, _target, one) => {
    const { finding, after } = pressed(one);
    expect(finding?.explanation).toMatch(one.explains);
    expect(after).toBe(one.after);
    if (after === null) return;
    const found = findingsOf(one, after).map(({ span, explanation }) => `${span} ${explanation}`);
    expect(found).not.toContain(`${finding?.span} ${finding?.explanation}`);
  },
);

/** The directories and files with the checks that name a span, which a button may replace. */
const checks = ['integrity', 'style', 'leverage/terms.ts', 'inspection.ts'];

test('each check that names a span has a case here', () => {
  const core = `${import.meta.dirname}/../../server/translation`;
  const files = checks.flatMap((path) =>
    path.endsWith('.ts') ? [path] : readdirSync(`${core}/${path}`).map((name) => `${path}/${name}`),
  );
  const explanations = files.flatMap((file) =>
    [...readFileSync(`${core}/${file}`, 'utf8').matchAll(/(['`])(The (?:[^'`\\]|\\.)+)\1/g)].map(
      ([, , words]) => words as string,
    ),
  );
  expect(explanations.length).toBeGreaterThan(20);
  const shown = cases.map((one) => pressed(one).finding?.explanation ?? '');
  const patternOf = (words: string) =>
    new RegExp(
      `^${words
        .split(/\$\{[^}]*\}/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.+')}$`,
    );
  expect(explanations.filter((words) => !shown.some((one) => patternOf(words).test(one)))).toEqual([]);
});
