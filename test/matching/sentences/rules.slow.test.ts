import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

const divided = (text: string, language: string) =>
  sentencesIn(text, language).map(({ start, end }) => text.slice(start, end));

/** Texts with `|` at the end of a sentence. */
const texts: [language: string, text: string][] = [
  ['de', 'Das gilt z. B. für Nr. 5 und den 12. Juni.| Er kam am 3. Oktober an.'],
  ['de', 'Sie liest usw.| Danach schläft sie.| Prof. Dr. Meier lebte bis 1990.| Karl V. Habsburg auch.'],
  ['es', 'Vea p. ej. la pág. 5 de la Sra. López.| ¿Quién es?| ¡Nadie!'],
  ['fr', 'M. Dupont cite l’art. 5.| « Vraiment ? »| Oui, p. ex. ici.'],
  [
    'en',
    'See No. 5 on p. 12.| Version 1.2.3 is out.| Open readme.md or https://example.com/a.b?c=d.| Write to a.b@example.com.',
  ],
  [
    'en',
    'He said "Stop!" and left.| She (see Fig. 2) stayed... perhaps.| "Go on."| (It was late.)| Then it ended.[1]| So it goes.',
  ],
  ['en', 'Wait… what?| iPhone sales rose.| J. R. R. Tolkien wrote it.| Yes.'],
  ['en', 'Hello {name. Friend}!| You have <b title="a. B">new mail.</b>'],
  ['en', 'First line\nof a paragraph.| \n\nTitle\n|\nA list:\n|- one\n|- two\n|1. three\n|2. four'],
  ['en', 'A heading\r\n|\r\nA text\r\nthat continues'],
  ['en', '1. One item |2. Another item'],
  ['cs', 'Přišel 5. května, tj. v pátek.| Např. Ing. Novák odešel.'],
  ['pl', 'Zob. art. 12 ust. 3 pkt 2.| Por. np. św. Pawła itd.| Koniec.'],
  ['ru', 'Он родился в 1890 г. в г. Москве и т. д.| А. С. Пушкин — поэт.| — Привет! — сказал он.| Да.'],
  ['nb', 'Den 17. mai kl. 12 spiste vi bl.a. is.| Hun dro f.eks. hjem.'],
  ['ja', '「そうです。」と言った。|次は？|はい！|彼は（笑。）帰った。'],
  ['zh-Hans', '他说：“你好。”|她走了。|《你好！世界》很好！|真的？'],
  ['hi', 'यह राम है।|डॉ. शर्मा आए।|क्यों?| हाँ।'],
  ['mr', 'डॉ. जोशी आले.| ते गेले.'],
  ['ar', 'هل أنت هنا؟| نعم.| قال د. أحمد ذلك.'],
  ['ur', 'کیا حال ہے؟| میں ٹھیک ہوں۔|شکریہ۔'],
  ['el', 'Τι κάνεις;| Καλά; ναι.| Π.χ. ο κ. Παπάς.'],
  ['th', 'ร้านเปิด 9.00 น. ถึง 17.00 น. ทุกวัน ขอบคุณ'],
  ['ko', '네.| 알겠습니다.| 감사합니다!'],
  ['xx', 'One.| Two.'],
];

describe('sentences', () => {
  it.each(texts)('%s: %s', (language, marked) => {
    expect(divided(marked.replaceAll('|', ''), language)).toEqual(
      marked
        .split('|')
        .map((part) => part.trim())
        .filter(Boolean),
    );
  });

  it('are not in a text of white space', () => {
    expect(sentencesIn('', 'en')).toEqual([]);
    expect(sentencesIn(' \n\u00a0\u3000\ufeff\t', 'en')).toEqual([]);
    expect(sentencesIn('\u00a0 Save \u3000', 'en')).toEqual([{ start: 2, end: 6 }]);
  });

  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom(
      ...'aB.!?…。」「{}<b>() \n\r\u2029\u00a0;।؟1-•"»'.split(''),
      'Mr',
      '1. ',
      'z. B.',
      '. . .',
      '</b>',
      '[1]',
    ),
  );
  it('hold every character of any text, in order', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.constantFrom(...languageCodes), (parts, language) => {
        const text = parts.join('');
        let last = 0;
        for (const { start, end } of sentencesIn(text, language)) {
          expect(text.slice(last, start).trim()).toBe('');
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(text.slice(last).trim()).toBe('');
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '.',
    'a. ',
    ')',
    '.)',
    '(',
    '（',
    '{',
    '<a ',
    '. ',
    ' .',
    ' \n',
    'A. B. ',
    '. "',
    '。',
    '1) ',
    ' • ',
    '.</a',
    '-\n',
    '«',
    ' »',
    '\u2029',
  ])('of 1,000,000 characters %j are found in linear time', async (part) => {
    const text = part.repeat(1_000_000 / part.length);
    // Each takes less than 0.5 s. A quadratic search would take minutes.
    expect(await cpuTime(() => sentencesIn(text, 'en'))).toBeLessThan(8000);
  });
});
