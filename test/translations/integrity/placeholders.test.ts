import { describe, expect, it } from 'vitest';
import { criticalSpans, issuesOf } from './checked.ts';

describe('placeholders', () => {
  it.each<[kind: string, placeholder: string]>([
    ['a name in braces', '{name}'],
    ['a path in braces', '{user.name}'],
    ['a number in braces', '{0}'],
    ['empty braces', '{}'],
    ['a Python format', '{total:.2f}'],
    ['a name of other letters', '{имя}'],
    ['double braces', '{{name}}'],
    ['double braces with a filter', '{{ name | upper }}'],
    ['a template literal', '$' + '{order.total}'],
    ['Ruby', '%{count}'],
    ['Ruby with a type', '%<count>d'],
    ['an interpolation', '#{name}'],
    ['Python', '%(name)s'],
    ['a string', '%s'],
    ['a number', '%d'],
    ['a fixed number of digits', '%.2f'],
    ['a width', '%02d'],
    ['a narrow width', '%5u'],
    ['an Apple object', '%@'],
    ['a long number', '%ld'],
    ['a variable of an Apple plural', '%#@files@'],
    ['the same with a position', '%2$#@open.files@'],
    ['the number of an Apple plural', '%arg'],
    ['a length from a value', '%.*s'],
    ['a position', '%1$s'],
    ['Qt', '%1'],
    ['a plural of Qt', '%n'],
    ['Symfony', '%user%'],
    ['a shell variable', '$HOME'],
    ['Chrome', '$user$'],
    ['Drupal', '@count'],
    ['Laravel', ':attribute'],
    ['a short name of Laravel', ':id'],
    ['a text of another key in i18next', '$t(menu.open)'],
    ['the same with options', '$t(item, {"count": 2})'],
    ['a text of another key in Vue', '@:menu.open'],
    ['the same with a modifier', '@.lower:menu.open'],
    ['ERB and EJS', '<%= userName %>'],
    ['a statement of EJS', '<% if (x) { %>'],
    ['Jinja', '{% block %}'],
    ['Template Toolkit', '[% name %]'],
    ['Handlebars', '{{#if x}}'],
    ['Fluent', '{ $name }'],
    ['Angular', '{$INTERPOLATION}'],
    ['Smarty', '{$user.name}'],
    ['Swift', '\\(name)'],
    ['a variable of make', '$(HOME)'],
    ['capitals between underscores', '__USER__'],
    ['Drupal, unescaped', '!user'],
    ['double brackets', '[[user]]'],
    ['ColdFusion', '#name#'],
    ['an emoji by its name', ':tada:'],
    ['BBCode', '[/b]'],
  ])('%s', (_kind, placeholder) => {
    expect(issuesOf(`Hello ${placeholder} there`, `Da ist ${placeholder} also`)).toEqual([]);
    expect(criticalSpans(`Hello ${placeholder} there`, 'Da ist also')).toEqual([placeholder]);
  });

  it('a word form of MediaWiki whose name is translated', () => {
    expect(
      criticalSpans('$1 {{PLURAL:$1|page|pages}} found', '$1 {{PLURIEL:$1|page|pages}} trouvées', 'fr'),
    ).toEqual(['{{PLURAL:$1']);
  });

  it.each([
    ['%#@files@ are open', '%#@dateien@ sind offen', ['%#@files@', '%#@dateien@']],
    ['%#@files@ in %#@folders@', '%#@folders@ mit %#@files@', ['%#@files@']],
    ['%#@files@ in %#@folders@', '%2$#@folders@ mit %1$#@files@', []],
    ['%1$#@files@ of %2$@', '%2$#@files@ von %1$@', ['%1$#@files@', '%2$@', '%2$#@files@', '%1$@']],
    ['%#@files@s of 100%%', '%#@files@e von 100%', ['%%']],
  ])('the variables of %j in %j', (source, target, expected) => {
    expect(criticalSpans(source, target)).toEqual(expected);
  });

  it.each([
    ['%{smart_count} car |||| %{smart_count} cars', '%{smart_count} Auto || %{smart_count} Autos', ['||||']],
    ['{0} none|{1} one|[2,*] :count', '{0} keine|{1} eins|[2,*] :count', []],
    ['{0} none|{1} one|[2,*] many', '{0} keine, {1} eins, [2;*] viele', ['|', '[2,*]']],
    ['[1,19] some | ]19,Inf[ many', '[1,19] einige | ]19,unendlich[ viele', ['|', ']19,Inf[']],
    ['[1,19] some|[20,29] many', '[1,19] einige, [20,29] viele', ['[1,19]', '|', '[20,29]']],
    ['Rates: [0, 5] low | [5, 10] high', 'Raten: [0; 5] niedrig / [5; 10] hoch', []],
    ['[1,5] is a range', '[1;5] ist ein Bereich', []],
    ['Home | Acme', 'Start - Acme', []],
  ])('the bars and numbers of plural forms of %j in %j', (source, target, expected) => {
    expect(criticalSpans(source, target)).toEqual(expected);
  });

  it('one whose loss is named to the reviewer and to the repairing model', () => {
    expect(issuesOf('Hello {name}!', 'Hallo!')).toEqual([
      {
        severity: 'critical',
        category: 'accuracy',
        span: '{name}',
        explanation: 'The placeholder {name} of the source is missing.',
        suggestion: 'Keep {name} exactly as it is.',
      },
    ]);
  });

  it.each<[what: string, source: string, target: string, targetLang?: string]>([
    [
      'a percent sign before a space',
      'I am 100 % sure and 50 % done',
      'Ich bin 100 % sicher und 50 % fertig',
    ],
    ['an exclamation in a word', 'Yahoo!news says hi', 'Yahoo sagt hallo'],
    ['a smiley', 'Good :D and :p and :) now', 'Gut'],
    ['bold Markdown', 'This is __important__ here', 'Das ist wichtig hier'],
    ['a word to replace in brackets', 'Dear [quote], hello', 'Liebes [Zitat], hallo'],
    ['a footnote', 'As said [1] and [note] here', 'Wie gesagt [1] hier, [Hinweis]'],
    ['a path of Windows', 'See C:\\(old) files', 'Siehe C:\\(alte) Dateien'],
    ['a percent sign after a number', 'It is 100%sure', 'Es ist 100 % sicher'],
    ['a Hungarian suffix', 'a 50% discount', '50%-os kedvezmény', 'hu'],
    ['a Turkish percentage', 'a 50% discount', '%50 indirim', 'tr'],
    ['a set', 'the set {1, 2, 3}', 'die Menge {1, 2, 3}'],
    ['braces around words', 'Press {any key} now', 'Jetzt {beliebige Taste} drücken'],
    ['braces around a word that is several in the source', 'from {standard input}', 'von {Standardeingabe}'],
    ['money', 'It costs $5 or $10.50', 'Es kostet 5 $ oder 10,50 $'],
    ['one dollar', 'It costs just $1', 'Es kostet nur 1 $'],
    ['a smiley', 'Well done :-) :D :p', 'Gut gemacht :-) :D :p'],
    ['a time', 'at 12:30', 'um 12:30'],
    ['a date format', '%Y-%m-%d %H:%M', '%d.%m.%Y, %H:%M'],
    ['a Windows path', 'Open C:\\Users\\me\\{x}', 'Öffne C:\\Users\\me\\{x}'],
    ['code', 'Write if (a) { return b; } here', 'Schreib hier if (a) { return b; }'],
    ['JSON', 'Send {"id": 7, "tags": []}', 'Sende {"id": 7, "tags": []}'],
  ])('%s is not one', (_what, source, target, targetLang) => {
    expect(issuesOf(source, target, targetLang)).toEqual([]);
  });
});

describe('placeholders in a translation', () => {
  it.each([
    ['Hello {name}', 'Hallo {name} {name}', ['{name}']],
    ['Page %1 of %2', 'Seite %1%1 von %2', ['%1']],
    ['{a} and {a}', '{a} {a}', []],
    ['{name} is here', '{name} ist da, {name}', []],
    ['%d files', '%Id Dateien', []],
  ])('are not doubled: %j in %j', (source, target, expected) => {
    expect(criticalSpans(source, target)).toEqual(expected);
  });

  it('may change places', () => {
    expect(issuesOf('{a} of {b} for {{c}}', '{{c}}: {b}, davon {a}')).toEqual([]);
  });

  it.each([
    ['renamed', 'Hello {name}', 'Hallo {nombre}', ['{name}', '{nombre}']],
    ['other braces', 'Hello {{name}}', 'Hallo {name}', ['{{name}}', '{name}']],
    ['another type', '%d files', '%s Dateien', ['%d', '%s']],
    ['a lost type', '%(count)s files', '%(count) Dateien', ['%(count)s']],
    ['a space inside', 'file %s', 'Datei % s', ['%s']],
    ['one of two', '%s: cannot open %s', '%s kann nicht geöffnet werden', ['%s']],
    ['one more', 'file %s', 'Datei %s %s', ['%s']],
    ['invented', 'Hello', 'Hallo {name}', ['{name}']],
    ['a position invented', '%1$s', '%1$s %2$s', ['%2$s']],
  ])('alarm: %s', (_what, source, target, spans) => {
    expect(criticalSpans(source, target)).toEqual(spans);
  });

  it('are rarely fewer, which is minor while one is left', () => {
    expect(issuesOf('Trust {0}? {0} will know.', 'Vertrauen Sie {0}?')).toMatchObject([
      { severity: 'minor', span: '{0}' },
    ]);
  });

  it('may be numbered to change places, and not change places otherwise', () => {
    expect(issuesOf('%d of %s', '%2$s: %1$d')).toEqual([]);
    expect(issuesOf('%1$d of %2$s', '%d von %s')).toEqual([]);
    expect(criticalSpans('%d of %s', '%s: %d')).toEqual(['%d']);
    expect(criticalSpans('%d of %s', '%2$d: %1$s')).toEqual(['%d', '%s', '%2$d', '%1$s']);
  });

  it('may count the value of a precision as a position', () => {
    expect(issuesOf('key %.*s of %s', '%3$s: %2$.*1$s')).toEqual([]);
  });

  it('touch words in Qt and in printf', () => {
    expect(issuesOf('At least %2GB of %1', 'Mindestens %2 GB von %1')).toEqual([]);
    expect(issuesOf('%dpx wide', '%d px breit')).toEqual([]);
    expect(issuesOf('%1s left for %2', 'noch %1 s für %2')).toEqual([]);
  });

  it('may be written as Laravel capitalises values', () => {
    expect(issuesOf('The :attribute is required', ':Attribute ist nötig')).toEqual([]);
  });

  it('keep the percent sign of a format apart from its placeholders', () => {
    expect(criticalSpans('%d%% done', '%d% erledigt')).toEqual(['%%']);
    expect(issuesOf('%d%% done', 'اكتمل %d٪', 'ar')).toEqual([]);
  });

  it('are no percentages of a Turkish source', () => {
    expect(issuesOf('%50 indirim', '50% off', 'en', 'tr')).toEqual([]);
    expect(criticalSpans('%50 indirim', '15% off', 'en', 'tr')).toEqual(['50']);
  });

  it('of MediaWiki are known by being counted', () => {
    expect(criticalSpans('$1 by $2', '$1')).toEqual(['$2']);
  });
});

describe('ICU messages', () => {
  const files = '{count, plural, one {# file} other {# files}} of {name}';

  it.each<[language: string, target: string]>([
    [
      'ar',
      '{count, plural, zero {لا ملفات} one {ملف واحد} two {ملفان} few {# ملفات} many {# ملفًا} other {# ملف}} {name}',
    ],
    ['ja', '{name} のファイル {count, plural, other {# 件}}'],
    ['zh-Hans', '{name} 的 {count} 个文件'],
    ['de', '{name}: {count,plural,=0{keine Datei}one{eine Datei}other{{count} Dateien}}'],
  ])('plural categories are those of %s', (language, target) => {
    expect(issuesOf(files, target, language)).toEqual([]);
  });

  it('a plural whose number is not shown may go, but not break', () => {
    const source = 'The {n, plural, one {entry has} other {entries have}} been saved';
    expect(issuesOf(source, 'エントリを保存しました', 'ja')).toEqual([]);
    expect(criticalSpans(source, '{n, Plural, eins {Eintrag} andere {Einträge}}')).toEqual(['{n, plural']);
  });

  it.each<[what: string, target: string, spans: string[]]>([
    ['the argument', 'Dateien von {name}', ['{count, plural']],
    [
      'the argument’s name',
      '{anzahl, plural, one {#} other {#}} von {name}',
      ['{count, plural', '{anzahl, plural'],
    ],
    ['the other argument', '{count, plural, one {# Datei} other {# Dateien}}', ['{name}']],
    ['the number', '{count, plural, one {Datei} other {Dateien}} von {name}', ['#']],
    ['the form for all others', '{count, plural, one {# Datei}} von {name}', ['other']],
    [
      'a brace',
      '{count, plural, one {# Datei} other {# Dateien} von {name}',
      ['{count, plural', '{count, plural'],
    ],
  ])('alarm without %s', (_what, target, spans) => {
    expect(criticalSpans(files, target)).toEqual(spans);
  });

  it('the keys of a select stay', () => {
    const source = '{gender, select, male {He} female {She} other {They}} said {what}';
    expect(issuesOf(source, '{gender, select, other {Sie} female {Sie} male {Er}} sagte {what}')).toEqual([]);
    expect(
      criticalSpans(source, '{gender, select, männlich {Er} female {Sie} other {Sie}} sagte {what}'),
    ).toEqual(['male']);
    expect(criticalSpans(source, '{gender} sagte {what}')).toEqual(['{gender, select']);
  });

  it('an argument may be shown as # or by its name', () => {
    const source = '{n} {n, plural, one {file} other {files}}';
    expect(issuesOf(source, '{n, plural, one {# Datei} other {# Dateien}}')).toEqual([]);
    expect(criticalSpans(source, '{n, plural, one {Datei} other {Dateien}}')).toEqual(['{n}']);
  });

  it('choices within choices are read', () => {
    const source = '{a, select, x {{b, plural, one {# <b>{c}</b>} other {#}}} other {}}';
    expect(issuesOf(source, source)).toEqual([]);
    expect(criticalSpans(source, '{a, select, x {{b, plural, one {# <b></b>} other {#}}} other {}}')).toEqual(
      ['{c}'],
    );
  });

  it('the digits of selectors are no numbers', () => {
    expect(issuesOf('{n, plural, =42 {all} other {#}}', '{n, plural, other {#}}')).toEqual([]);
  });
});

it('at most 100 lost ones are listed', () => {
  const names = Array.from({ length: 300 }, (_, index) => `{name${index}}`);
  expect(issuesOf(names.join(' '), 'nichts')).toHaveLength(100);
});
