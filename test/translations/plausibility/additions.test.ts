import { expect, test } from 'vitest';
import { checkPlausibility } from '#server/translation/plausibility/index.ts';

const source = 'The shop is open from Monday to Friday, and closed on public holidays.';
const german = 'Das Geschäft ist von Montag bis Freitag geöffnet und an Feiertagen geschlossen.';

const issuesOf = (targetText: string, sourceText = source) =>
  checkPlausibility({ sourceText, targetText, sourceLang: 'en', targetLang: 'de' });

test('the translation alone has no issue', () => {
  expect(issuesOf(german)).toEqual([]);
});

test.each([
  ['an e-mail address', `${german} Mehr bei info@boese.example.`],
  ['a link', `${german} Mehr auf https://boese.example/jetzt.`],
  ['a link that runs a program', `${german} [Mehr](javascript:alert(1))`],
  ['a script', `${german} <script src="//boese.example/x.js"></script>`],
  ['a picture', `${german} <img src=x onerror=alert(1)>`],
  ['a turned direction', `${german} \u202etxt.exe`],
  ['hidden tags', `${german} \u{e0041}\u{e0042}`],
])('%s that the source does not have is critical', (_what, target) => {
  expect(issuesOf(target)).toContainEqual(expect.objectContaining({ severity: 'critical' }));
});

test.each([
  ['Write to info@shop.example.', 'Schreiben Sie an info@shop.example.'],
  ['Use <b>bold</b> text.', 'Verwenden Sie <b>fetten</b> Text.'],
  ['Is a < b and c > d?', 'Ist a < b und c > d?'],
  ['\u202eabc', '\u202eabc'],
  ['Hello there, dear friend', '\u200fHallo, lieber Freund\u200d'],
])('a part that the source has is no addition: %j', (sourceText, target) => {
  expect(issuesOf(target, sourceText)).toEqual([]);
});
