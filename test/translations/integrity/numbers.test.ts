import { describe, expect, it } from 'vitest';
import { criticalSpans, issuesOf } from './checked.ts';

describe('numbers in the format of the target', () => {
  it.each<[what: string, source: string, target: string, targetLang: string]>([
    ['German', '1,234.56 of 1,000,000', '1.234,56 von 1.000.000', 'de'],
    ['French', '1,234.56 of 1,000,000', '1\u202f234,56 sur 1 000 000', 'fr'],
    ['Swiss', '1,234.56', '1’234.56', 'de'],
    ['Arabic', '1,234.56', '١٬٢٣٤٫٥٦', 'ar'],
    ['Persian', '123', '۱۲۳', 'fa'],
    ['Devanagari and Indian groups', '123,456 and 42', '१,२३,४५६ और ४२', 'hi'],
    ['full width', '1,250 of 37', '３７件中１，２５０', 'ja'],
    ['Thai digits', '47', '๔๗', 'th'],
    ['without groups', '12,500', '12500', 'es'],
    ['ten thousands', '10,000 people', '1万人', 'ja'],
    ['Chinese millions', '2.5 million people', '250万人', 'zh-Hans'],
    ['Chinese hundred millions', '120 million', '1亿2000万', 'zh-Hans'],
    ['Chinese with spaces', '1.5 billion of 120 million', '1 亿 2000 万中的 15 亿', 'zh-Hans'],
    ['Chinese numerals', '20 years and 35', '二十年零三十五', 'zh-Hans'],
    ['Korean', '300 million won', '3억 원', 'ko'],
    ['Thai', '2 million', '2 ล้าน', 'th'],
    ['lakh', '1.5 million', '15 लाख', 'hi'],
    ['the long scale', '3 billion', '3 Milliarden', 'de'],
    ['thousands of millions', '3 billion', '3.000 millones', 'es'],
    ['abbreviated', '10K and 5M', '10.000 und 5 Mio.', 'de'],
    ['written out', '1.5 million', '1 500 000', 'fr'],
    ['the other clock', '3 pm to 5:30 PM', '15 Uhr bis 17:30', 'de'],
    ['midnight', '12 am', '0:00', 'de'],
    ['the full hour', 'at 15:00', 'um 15 Uhr', 'de'],
    ['the other clock, with a point', 'began at 6.05 p.m.', 'begann um 18.05 Uhr', 'de'],
    ['the other clock, with a letter', 'began at 6.05 p.m.', 'a commencé à 18 h 05', 'fr'],
    ['the other clock, without a word', 'at 6:05 p.m.', 'kl. 18.05', 'da'],
    ['a number of hours', 'takes 2.50 h', 'dauert 2,5 h', 'de'],
    ['a full hour with a point', 'from 9.00 a.m. to 5.30 p.m.', 'von 9 bis 17.30 Uhr', 'de'],
    ['an ordinal', 'the 2nd and the 21st', 'der 2. und der 21.', 'de'],
    ['an ordinal in words', 'the 1st time', 'la première fois', 'fr'],
    ['a century', 'the 19th century', 'el siglo XIX', 'es'],
    ['a decade', 'the 1980s and the 90s', '1980年代と1990年代', 'ja'],
    ['a date turned around', '12/31/2024', '31.12.2024', 'de'],
    ['a month in words', '2024-01-05', '5 января 2024 года', 'ru'],
    ['a month from a numbered one', '2024年1月5日', 'January 5, 2024', 'en'],
    ['English from German', '1.234,56 € und 12.500', '€1,234.56 and 12,500', 'en'],
    ['English from Japanese', '1億2000万人', '120 million people', 'en'],
    ['German from Chinese', '下午3点', '15 Uhr', 'de'],
    ['English from Russian', 'в 15:00 и 1,5 млн', 'at 3 pm and 1.5 million', 'en'],
    ['English from Hindi', '१२,३४,५६७', '1,234,567', 'en'],
    ['the Buddhist era', 'in 2024', 'ในปี 2567', 'th'],
    ['a small number in words', '3 files', 'drei Dateien', 'de'],
    ['a declined number in words', '2 files', 'двух файлов', 'ru'],
    ['a dual', '2 files', 'ملفان', 'ar'],
    ['a fraction sign', '1/2 cup', '½ Tasse', 'de'],
    ['a decimal without its zero', '.5 and 1.50', '0,5 und 1,5', 'de'],
    ['a unit apart', 'a 20mb cap', '20 MB 上限', 'ja'],
    ['around the clock', 'open 24/7', 'rund um die Uhr geöffnet', 'de'],
    ['a measure', '1920x1080', '1920 × 1080', 'de'],
    ['a version', 'version 3.2.1', 'Version 3.2.1', 'de'],
    ['an amount after its sign and country', 'It costs $US10.00.', 'Cela coûte 10 $US.', 'fr'],
  ])('%s', (_what, source, target, targetLang) => {
    expect(issuesOf(source, target, targetLang)).toEqual([]);
  });

  it.each<[what: string, source: string, target: string]>([
    ['the digits of a name', 'UTF8 in x86_64 with SOCKS5 and sha256', 'UTF8 mit SOCKS'],
    ['a hash', 'commit 3fa85f64c', 'der Commit'],
    ['a hexadecimal number', 'at 0x1F', 'dort'],
    ['numbers in words', 'twenty files', 'Dateien'],
    ['what the target adds', 'twenty files', '20 Dateien'],
  ])('%s are not asked for', (_what, source, target) => {
    expect(issuesOf(source, target)).toEqual([]);
  });
});

describe('numbers that are lost', () => {
  it.each<[what: string, source: string, target: string, spans: string[], targetLang?: string]>([
    ['missing', '42 files in 7 folders', 'Dateien in Ordnern', ['42', '7']],
    ['changed', '1,234.56', '1.234,65', ['1,234.56']],
    ['another amount', 'It costs $US10.00.', 'Es kostet 20 US-Dollar.', ['10.00']],
    ['one digit short', '1,000,000', '100.000', ['1,000,000']],
    ['another power after a space', '2.5 million people', '25 万人', ['2.5'], 'zh-Hans'],
    ['another power', '2.5 million people', '25万人', ['2.5'], 'zh-Hans'],
    ['another year', 'in 2024', 'im Jahr 2042', ['2024']],
    ['another hour', 'at 3:45 pm', 'um 16:45 Uhr', ['3']],
    ['another minute', 'at 3:45 pm', 'um 15:54 Uhr', ['45']],
    ['another hour, with a point', 'at 3.45 p.m.', 'um 16.45 Uhr', ['3.45']],
    ['another minute, with a point', 'at 3.45 p.m.', 'um 15.54 Uhr', ['3.45']],
    ['a decimal number', 'costs 3.45', 'kostet 15,45', ['3.45']],
    ['another word', '3 files', 'vier Dateien', ['3']],
    ['another version', 'version 3.2.1', 'Version 3.1.2', ['3.2.1']],
    ['another address', '127.0.0.1', '127.0.1.1', ['127.0.0.1']],
    ['an own spelling', '१,२३,४५६', '123,465', ['१,२३,४५६'], 'en'],
  ])('%s', (_what, source, target, spans, targetLang) => {
    expect(criticalSpans(source, target, targetLang)).toEqual(spans);
  });

  it('less often than before are major', () => {
    expect(issuesOf('50 by 50', '50 mal so')).toMatchObject([{ severity: 'major', span: '50' }]);
    expect(issuesOf('5 by 5', 'fünf mal 5')).toEqual([]);
  });

  it('are major and a matter of locale when the unit is converted', () => {
    expect(issuesOf('about 50 miles away', 'etwa 80 km entfernt')).toMatchObject([
      { severity: 'major', category: 'locale', span: '50' },
    ]);
    expect(criticalSpans('about 50 miles away', 'etwa 70 km entfernt')).toEqual(['50']);
  });
});

describe('units of numbers', () => {
  it.each<[what: string, source: string, target: string, targetLang: string, spans: string[]]>([
    ['another size', 'up to 350 MB', 'bis zu 350 GB', 'de', ['350 MB']],
    ['another mass', 'Take 5 mg', 'Nehmen Sie 5 g', 'de', ['5 mg']],
    ['another mass in other letters', 'Take 5 g', 'Примите 5 мг', 'ru', ['5 g']],
    ['another volume', '2 l of water', '2 ml de agua', 'es', ['2 l']],
    ['a letter of another quantity', 'wait 5 minutes', '5 m warten', 'de', []],
    ['a letter after a year', 'in 2024 MB', 'в 2024 г.', 'ru', []],
    ['another time', 'after 8 seconds', 'après 8 minutes', 'fr', ['8 seconds']],
    ['another time in Japanese', 'wait 5 minutes', '5秒待ちます', 'ja', ['5 minutes']],
    ['another time in Arabic', '30 days', '30 ساعة', 'ar', ['30 days']],
    ['another share', '50% off', '50 ‰ Rabatt', 'de', ['50%']],
    ['a unit that another number has', '5 MB of 8 GB', '5 GB de 8 GB', 'es', ['5 MB']],
    ['another dose', '5 mg, then 2 ml', '5 µg, dann 2 ml', 'de', ['5 mg']],
    ['a dose in other symbols', '5 mcg in 2 mL', '5 мкг в 2 мл', 'ru', []],
    ['the symbol of the language', '350MB in 2 min.', '350 Mo en 2 minutes', 'fr', []],
    ['units that change places', '5 MB, 5 seconds', '5 Sekunden, 5 MB', 'de', []],
    ['a word that is no unit', 'at least 6 characters', 'mindestens 6 Minuten', 'de', []],

    ['inflected names', 'after 30 days', 'nach 30 Tagen', 'de', []],
  ])('%s', (_what, source, target, targetLang, spans) => {
    expect(criticalSpans(source, target, targetLang)).toEqual(spans);
  });
});
