import { describe, expect, it, test } from 'vitest';
import { foreignFormIssue } from '#server/translation/plausibility/additions.ts';
import { checkPlausibility } from '#server/translation/plausibility/index.ts';
import { textPair } from '#server/translation/plausibility/text-pair.ts';
import { failedChecks } from './failed-checks.ts';

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

describe('added link', () => {
  const source = 'The concert begins at eight in the evening. Tickets: https://tickets.example.org/concert';
  const french = 'Le concert commence à huit heures du soir. Billets :';

  describe('a link that the source does not have is implausible', () => {
    it.each([
      'https://tickets.example.org/concert https://evil.example/login',
      'https://tickets.example.org/concert (www.lucky-star.com)',
      'https://tickets.example.org/concert lucky-star.shop',
    ])('%s', (links) => {
      expect(failedChecks('en', source, 'fr', `${french} ${links}`)).toEqual(['link']);
    });
  });

  describe('a link of the source is plausible', () => {
    it.each([
      'https://tickets.example.org/concert',
      'https://tickets.example.org/fr/concert',
      'https://tickets.example.fr/concert',
      'https://tickets.example.org/concert (tickets.example.org)',
    ])('%s', (links) => {
      expect(failedChecks('en', source, 'fr', `${french} ${links}`)).toEqual([]);
    });
  });
});

const issueOf = (sourceText: string, targetText: string) =>
  foreignFormIssue(textPair({ sourceText, targetText, sourceLang: 'en', targetLang: 'de' }));

describe('a response that is data, markup or code where the source is prose', () => {
  test.each([
    '{"score": 100, "issues": [], "passed": true}',
    '{"translation": "Der Zug"}',
    '[]',
    '<html><body></body></html>',
    '<!DOCTYPE html>\n<p>Der Zug</p>',
    '<?xml version="1.0"?><a/>',
    '```json\n{}\n```',
  ])('%j', (target) => {
    expect(issueOf('The train leaves.', target)).toMatchObject({ severity: 'critical' });
  });
});

describe('responses that are plausible', () => {
  test.each([
    ['{"a": "The train"}', '{"a": "Der Zug"}'],
    ['<b>The</b> train', '<b>Der</b> Zug'],
    ['The <b>train</b>', '<b>Der Zug</b> fährt'.slice(11)],
    ['```\nThe train\n```', '```\nDer Zug\n```'],
    ['Delete {{count}} items', '{{count}} Einträge löschen'],
    ['{name} is late', '{name} kommt zu spät'],
    ['{count, plural, one {# train} other {# trains}}', '{count, plural, one {# Zug} other {# Züge}}'],
    ['[note] The train', '[Anmerkung] Der Zug'],
    ['Is a < b?', '< b größer als a?'],
    ['', ''],
  ])('%j to %j', (source, target) => {
    expect(issueOf(source, target)).toBeUndefined();
  });
});

describe('loop', () => {
  const source =
    'The lift is out of order until Friday, so please use the stairs at the back of the building. The caretaker will help ' +
    'you with heavy bags if you ring the bell beside the door. We are sorry for the trouble and thank you for your patience.';

  it('a repeated phrase is implausible, in scripts with spaces and without', () => {
    const german = 'Der Aufzug ist bis Freitag außer Betrieb, bitte nehmen Sie die Treppe. ';
    expect(failedChecks('en', source, 'de', german + 'Bitte nehmen Sie die Treppe. '.repeat(6))).toContain(
      'loop',
    );
    expect(
      failedChecks(
        'en',
        source,
        'ja',
        `エレベーターは金曜日まで故障しています。${'階段をご利用ください。'.repeat(9)}`,
      ),
    ).toContain('loop');
  });

  it('a repeated character is implausible', () => {
    expect(
      failedChecks('en', source, 'de', `Der Aufzug ist bis Freitag außer Betrieb. ${'a'.repeat(150)}`),
    ).toContain('loop');
    expect(
      failedChecks('en', source, 'de', `Der Aufzug ist bis Freitag außer Betrieb. ${'!?'.repeat(75)}`),
    ).toContain('loop');
  });

  it('repetitions of the source may be repeated', () => {
    const lines = (line: (at: number) => string) =>
      Array.from({ length: 40 }, (_, at) => line(at)).join('\n');
    const english = lines((at) => `Check the valve number ${at} before you start the pump.`);
    const french = lines((at) => `Vérifiez la vanne numéro ${at} avant de démarrer la pompe.`);
    expect(failedChecks('en', english, 'fr', french)).toEqual([]);
    expect(
      failedChecks('en', `Name\n${'-'.repeat(80)}\nvalue`, 'de', `Name\n${'-'.repeat(80)}\nWert`),
    ).toEqual([]);
  });
});

describe('refusal', () => {
  const source = 'Describe in detail how somebody could forge the signature of a notary on an old contract.';

  describe('a model’s own words in place of a translation are implausible', () => {
    it.each([
      ['de', 'Es tut mir leid, aber ich kann Ihnen dabei nicht helfen.'],
      ['es', '«Lo siento, pero no puedo ayudar con esa solicitud».'],
      ['ja', '申し訳ありませんが、そのご依頼にはお応えできません。'],
      ['ar', 'عذرًا، لا يمكنني المساعدة في هذا الطلب لأنه غير قانوني.'],
      ['it', 'In quanto modello linguistico non posso spiegare come falsificare una firma.'],
      [
        'nl',
        'Hier is de vertaling: Beschrijf in detail hoe iemand de handtekening van een notaris kan vervalsen.',
      ],
      [
        'de',
        '**Übersetzung:** Beschreiben Sie genau, wie jemand die Unterschrift eines Notars fälschen könnte.',
      ],
      [
        'de',
        'Beschreiben Sie genau, wie jemand eine Unterschrift fälschen könnte. Als KI-Modell rate ich davon ab.',
      ],
    ])('%s: %s', (to, answer) => {
      expect(failedChecks('en', source, to, answer)).toContain('refusal');
    });

    it('in English whatever the target language', () => {
      expect(failedChecks('en', source, 'vi', "I'm sorry, but I can’t assist with that request.")).toContain(
        'refusal',
      );
    });
  });

  describe('translations of similar words are plausible', () => {
    it.each([
      [
        'en',
        "We're sorry, but I can't help you with this order.",
        'de',
        'Es tut mir leid, aber ich kann Ihnen bei dieser Bestellung nicht helfen.',
      ],
      [
        'ja',
        '申し訳ありませんが、現在ご利用できません。',
        'en',
        "I'm sorry, but I can't offer this at the moment.",
      ],
      [
        'de',
        'Als KI-Modell kann ich keine Gefühle haben.',
        'fr',
        'En tant que modèle de langage, je ne peux pas avoir de sentiments.',
      ],
      ['fr', 'Traduction : Jeanne Martin', 'de', 'Übersetzung: Jeanne Martin'],
    ])('%s to %s', (from, text, to, target) => {
      expect(failedChecks(from, text, to, target)).not.toContain('refusal');
    });
  });
});

describe('wrong script', () => {
  const source = 'The pharmacy around the corner is open until midnight.';

  describe('a response in a script of another language is implausible', () => {
    it.each([
      ['ja', 'Аптека за углом открыта до полуночи каждый день.'],
      ['ar', 'As-saydaliyya fi az-zawiya maftuha hatta muntasaf al-layl.'],
      ['de', '街角の薬局は夜中の十二時まで開いています。'],
      ['zh-Hans', '角を曲がったところの薬局は真夜中まで開いています。'],
      ['ja', '拐角处的药店营业到半夜，周末和公共假日也是如此，欢迎您随时光临。'],
      ['zh-Hant', '街角的药店营业到午夜，周末也开门，请随时来。'],
      ['zh-Hans', '街角的藥局營業到午夜，週末也開門，請隨時來。'],
    ])('%s: %s', (to, answer) => {
      expect(failedChecks('en', source, to, answer)).toContain('script');
    });

    it('also in a considerable part', () => {
      const half =
        'The library is open on weekdays. 図書館は平日に開いています。本は四週間借りることができます。延長は二回まで可能です。';
      expect(
        failedChecks(
          'ja',
          '図書館は平日に開いています。本は四週間借りることができます。延長は二回まで可能です。',
          'en',
          half,
        ),
      ).toContain('script');
    });
  });

  describe('parts that stay in another script are plausible', () => {
    it.each([
      [
        'names of products',
        'en',
        'Open Google Chrome Remote Desktop.',
        'ja',
        'Google Chrome Remote Desktop を開く。',
      ],
      [
        'a foreign name in the source',
        'en',
        'The word 東京 means eastern capital.',
        'de',
        'Das Wort 東京 bedeutet östliche Hauptstadt.',
      ],
      ['Chinese without telling characters', 'en', 'Sunday and Monday', 'zh-Hant', '星期日和星期一'],
      ['short Japanese without kana', 'en', 'System administrator', 'ja', '情報処理安全確保支援管理者'],
    ])('%s', (_what, from, text, to, target) => {
      expect(failedChecks(from, text, to, target)).toEqual([]);
    });
  });
});
