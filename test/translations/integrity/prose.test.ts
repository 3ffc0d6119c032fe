import { describe, expect, it } from 'vitest';
import { issuesOf } from './checked.ts';

describe('running text', () => {
  it('does not alarm over code, mathematics, paths and prices in it', () => {
    const source = `
In 2019, 1,250 people (12.5 %) paid $5 or more; by 3:30 pm on 12/31/2024 it was 2.5 million. If a < b and b > 0,
write x = {1, 2, 3} :-) and press <Enter>. Run C:\\Users\\me\\%TEMP%\\a.bat, or "grep -c 'a|b' <file>", and send
{"id": 7, "name": "Ann"} to https://api.example.com/v2/users/42?q=%20x (version 3.2.1), or to Ann <ann@example.com>.
The 1st of the 3 steps is 100% sure; the 2nd needs 10–12 minutes & 5 GB; I <3 it :D — 24/7!
`;
    const target = `
2019 bezahlten 1.250 Menschen (12,5 %) 5 $ oder mehr; am 31.12.2024 um 15:30 Uhr waren es 2,5 Millionen. Wenn a < b
und b > 0, schreiben Sie x = {1, 2, 3} :-) und drücken Sie <Eingabe>. Starten Sie C:\\Users\\me\\%TEMP%\\a.bat oder
„grep -c 'a|b' <Datei>“ und senden Sie {"id": 7, "name": "Ann"} an https://api.example.com/v2/users/42?q=%20x
(Version 3.2.1) oder an Ann <ann@example.com>. Der erste der drei Schritte ist zu 100 % sicher; der zweite braucht
10 bis 12 Minuten und 5 GB; ich mag das <3 :D — rund um die Uhr!
`;
    expect(issuesOf(source, target)).toEqual([]);
  });

  it('finds one changed number in a long text', () => {
    const sentence = (n: number): string => `Sentence ${n} has {name${n}} and <b>bold</b> words. `;
    const numbers = Array.from({ length: 1000 }, (_, i) => i + 13);
    const source = numbers.map(sentence).join('');
    const target = source.replaceAll('Sentence', 'Satz').replaceAll('words', 'Wörter');
    expect(issuesOf(source, target)).toEqual([]);
    expect(issuesOf(source, target.replace('Satz 500 ', 'Satz 50 '))).toMatchObject([{ span: '500' }]);
  });
});
