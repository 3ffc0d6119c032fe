import { describe, expect, it } from 'vitest';
import { criticalSpans, issuesOf } from './checked.ts';

describe('links and addresses', () => {
  it.each<[what: string, source: string, target: string, targetLang?: string]>([
    ['before punctuation', 'See https://example.com/a?b=1#c.', 'Siehe „https://example.com/a?b=1#c“!'],
    ['in parentheses', '(see http://a.example/b_(c))', '(siehe http://a.example/b_(c))'],
    ['before Japanese', 'See https://example.com/a now', 'https://example.com/aを参照してください。', 'ja'],
    ['without a scheme', 'www.example.com', 'www.example.com。', 'zh-Hans'],
    ['with and without a last slash', 'https://example.com/', 'https://example.com'],
    ['with a placeholder', 'https://{host}/x/{{id}}?y=%s', 'https://{host}/x/{{id}}?y=%s'],
    [
      'in Markdown',
      '**[Home](https://example.com/)** ![a](img/a.png)',
      '**[Heim](https://example.com/)** ![b](img/a.png)',
    ],
    ['in angle brackets', '<https://example.com> <a@example.com>', '<https://example.com> <a@example.com>'],
    ['an address', 'Write to a.b+c@mail.example.com.', 'Schreiben Sie an a.b+c@mail.example.com.'],
    ['a bare scheme', 'begin with “https://”', 'mit „https://“ anfangen'],
    ['a handle of one letter', 'a @ b', 'a @ b'],
  ])('stand %s', (_what, source, target, targetLang) => {
    expect(issuesOf(source, target, targetLang)).toEqual([]);
  });

  it.each<[what: string, source: string, target: string, span: string]>([
    ['a link', 'See https://example.com/a.', 'Siehe dort.', 'https://example.com/a'],
    ['a link of two alike', 'www.a.example www.a.example', 'www.a.example', 'www.a.example'],
    ['a changed path', 'https://example.com/en/a', 'https://example.com/de/a', 'https://example.com/en/a'],
    ['a scheme made worse', 'https://example.com', 'http://example.com', 'https://example.com'],
    ['a changed scheme', 'http://example.com', 'ftp://example.com', 'http://example.com'],
    ['a destination', '[a](./docs/a.md)', '[a](./docs/b.md)', './docs/a.md'],
    ['an anchor', '[a](#top)', '[a](#oben)', '#top'],
    ['an address', 'Write to me@example.com', 'Schreiben Sie mir', 'me@example.com'],
    ['a changed address', 'you@example.com', 'sie@beispiel.de', 'you@example.com'],
    ['mailto', 'mailto:me@example.com', 'me@example.com', 'mailto:me@example.com'],
  ])('alarm without %s', (_what, source, target, span) => {
    expect(criticalSpans(source, target)).toEqual([span]);
  });

  it('alarm, less loudly, when they are invented', () => {
    expect(issuesOf('See there', 'Siehe https://example.com und a@example.com')).toMatchObject([
      { severity: 'major', span: 'https://example.com' },
      { severity: 'major', span: 'a@example.com' },
    ]);
  });

  it('hold no placeholders and no numbers of their own', () => {
    expect(criticalSpans('https://example.com/{id}/42?x=%20d', '')).toEqual([
      'https://example.com/{id}/42?x=%20d',
    ]);
  });
});
