import { describe, expect, it } from 'vitest';
import type { LanguageCode } from '#server/languages.ts';
import { checkTerms, compileTerms, type ExpectedTerm, expectTerms } from '#server/matching/terms/index.ts';

/** Parses `a|b ×2`: the term a or its alternative b, twice. `=a` is case-sensitive. */
function expectedTerm(written: string, number: number): ExpectedTerm {
  const [, exact, terms, count] = /^(=?)(.*?)(?: ×(\d))?$/su.exec(written)!;
  return {
    sourceTerm: `source ${number}`,
    targetTerms: terms!.split('|') as [string, ...string[]],
    caseSensitive: exact === '=',
    count: Number(count ?? 1),
  };
}

const check = (terms: string[], target: string, language: LanguageCode = 'en') =>
  checkTerms(terms.map(expectedTerm), target, language);

describe('the terms that a source expects in its translation', () => {
  const entry = (sourceTerm: string, targetTerm: string, caseSensitive = false) => ({
    sourceTerm,
    targetTerm,
    caseSensitive,
    priority: 0,
  });

  it('counts the matches of a pair of terms, with its alternatives', () => {
    const entries = [entry('total', 'Summe'), entry('total', 'Gesamt'), entry('net total', 'netto', true)];
    const matches = compileTerms(entries, 'en').find('Total, total and net total');
    expect(expectTerms(matches)).toEqual([
      { sourceTerm: 'total', targetTerms: ['Summe', 'Gesamt'], caseSensitive: false, count: 2 },
      { sourceTerm: 'net total', targetTerms: ['netto'], caseSensitive: true, count: 1 },
    ]);
  });

  it('of one pair of terms, the alternatives of each case rule are its own', () => {
    const entries = [entry('May', 'Mai', true), entry('May', 'Mai'), entry('may', 'dürfen')];
    expect(expectTerms(compileTerms(entries, 'en').find('may May'))).toEqual([
      { sourceTerm: 'May', targetTerms: ['Mai', 'dürfen'], caseSensitive: false, count: 1 },
      { sourceTerm: 'May', targetTerms: ['Mai'], caseSensitive: true, count: 1 },
    ]);
  });

  it('a term and how it is spelled in capitals are one', () => {
    const entries = [entry('Maß', 'measure'), entry('Maß', 'size')];
    expect(expectTerms(compileTerms(entries, 'de').find('Maß und MASS'))).toEqual([
      { sourceTerm: 'Maß', targetTerms: ['measure', 'size'], caseSensitive: false, count: 2 },
    ]);
  });
});

describe('the figures of the quality gate (B 2.6)', () => {
  it('counts by target term, and which are missing', () => {
    expect(check(['Summe ×3', 'Vertrag', 'Rest'], 'Summe und Summe, Verträge', 'de')).toEqual({
      passed: false,
      missing_terms: ['Summe', 'Rest'],
      expected_target_counts: { Summe: 3, Vertrag: 1, Rest: 1 },
      observed_target_counts: { Summe: 2, Vertrag: 1, Rest: 0 },
      matched_source_terms: ['source 0', 'source 1', 'source 2'],
      inflected_terms: ['Vertrag'],
    });
  });

  it('a term may be named like a property of every object', () => {
    const { observed_target_counts: counts } = check(['__proto__', 'constructor'], '__proto__');
    expect(Object.entries(counts)).toEqual([
      ['__proto__', 1],
      ['constructor', 0],
    ]);
  });
});

describe('each span of a translation counts for one term', () => {
  it.each<[rule: string, terms: string[], target: string, missing: string[]]>([
    ['the longer one', ['net total', 'total'], 'The net total', ['total']],
    ['but not twice', ['sum|total', 'sum'], 'sum', ['sum']],
    ['which gives no more than there is', ['deal|sum', 'sum|pact'], 'sum, sum', []],
    ['nor what is needed', ['deal|sum', 'sum|pact ×2'], 'sum, pact', ['deal']],
    ['of the right case only', ['sum', '=SUM'], 'sum, Sum', ['SUM']],
    [
      'a form counts for whoever needs it',
      ['contract ×2', 'contracts'],
      'contract, contracts, contracts',
      [],
    ],
  ])('%s', (_, terms, target, missing) => {
    expect(check(terms, target).missing_terms).toEqual(missing);
  });
});

describe('one term with case and one without (B 4.4)', () => {
  const month = ['=May Mai', 'may dürfen'];
  const car = ['=Polish polnisch', 'polish polieren', 'car Auto'];

  it.each<[terms: string[], source: string, target: string, missing: string[]]>([
    [month, 'In May 2 you may come.', 'Im Mai 2 dürfen Sie kommen.', []],
    [month, 'In May 3 you may come.', 'Im Mai 3 kommen Sie, Mai.', ['dürfen']],
    [month, 'You may come.', 'Sie kommen im Mai.', ['dürfen']],
    [month, 'May, May and may', 'Mai, dürfen und dürfen', ['Mai']],
    [car, 'We polish the Polish car.', 'Wir polieren das Auto.', ['polnisch']],
    [['=US USA', 'usa USA'], 'USA and US', 'usa und usa', ['USA']],
  ])('%j: %s – %s', (terms, source, target, missing) => {
    const entries = terms.map((written) => {
      const [, exact, sourceTerm, targetTerm] = /^(=?)(.*) (.*)$/su.exec(written)!;
      return { sourceTerm: sourceTerm!, targetTerm: targetTerm!, caseSensitive: exact === '=', priority: 0 };
    });
    for (const rows of [entries, entries.toReversed()]) {
      const expected = expectTerms(compileTerms(rows, 'en').find(source));
      expect(checkTerms(expected, target, 'de').missing_terms).toEqual(missing);
    }
  });
});

describe('which spans count as a term', () => {
  it.each<[rule: string, language: LanguageCode, term: string, target: string, counts: boolean]>([
    ['at the start of a sentence', 'en', 'total', 'Total: 5', true],
    ['in capitals', 'de', 'Straße', 'DIE STRASSE', true],
    ['with case, as it is', 'de', '=Vertrag', 'der Vertrag', true],
    ['with case, in no other', 'de', '=Vertrag', 'der vertrag, der VERTRAG', false],
    ['with case, inflected', 'de', '=Vertrag', 'die Verträge', true],
    ['with case, in no other inflected', 'en', '=Go', 'goes, GOS', false],
    ['an acronym in the plural', 'en', '=API', 'two APIs', true],
    ['a German noun has a capital', 'de', 'Druck', 'sie drucken', false],
    ['part of no other word', 'en', 'total', 'subtotal', false],
    ['not in an address', 'en', 'total', 'https://example.com/total', false],
    ['nor in a placeholder', 'en', 'total', '{total}', false],
    ['a symbol', 'de', '%', '50 %', true],
    ['a name of symbols', 'de', 'C++', 'in C++.', true],
    ['words each inflected', 'ru', 'персональные данные', 'персональных данных', true],
    ['with a word between them', 'de', 'betroffene Person', 'der betroffenen natürlichen Person', true],
    ['but not two', 'de', 'betroffene Person', 'der betroffenen ganz natürlichen Person', false],
    ['nor a full stop', 'de', 'betroffene Person', 'der Betroffene. Person', false],
    ['in no other order', 'en', 'net total', 'total net', false],
    ['a hyphen for none', 'de', 'Kaufvertrag', 'Kauf-Vertrag', true],
    ['none for a hyphen', 'de', 'E-Mail', 'Email', true],
    ['the head of a compound', 'de', 'Vertrag', 'Mietverträge', true],
    ['the modifier of one', 'de', 'Vertrag', 'Vertragspartner', true],
    ['not after a prefix', 'de', 'Rechnung', 'Berechnung', false],
    ['a short head of one', 'de', 'Name', 'der Dateiname', true],
    ['not the end of a root', 'de', 'Rolle', 'die Kontrolle', false],
    ['between other parts', 'de', 'Benutzer', 'ein Datenbankbenutzername', true],
    ['a modifier without its last vowel', 'de', 'Adresse', 'das Adressbuch', true],
    ['a German adjective with a capital', 'de', 'Ungültig', 'ein ungültiger Wert', true],
    ['a short word next to no part', 'de', 'Zahl', 'die Anzahl', false],
    ['a Finnish head', 'fi', 'osoite', 'sähköpostiosoitteen', true],
    ['a Finnish modifier', 'fi', 'virhe', 'virheilmoitus', true],
    ['not a Finnish derivation', 'fi', 'virhe', 'virheellinen', false],
    ['a Hungarian head', 'hu', 'fájl', 'parancsfájlok', true],
    ['a Hungarian modifier', 'hu', 'ablak', 'ablakkezelő', true],
    ['not after a Hungarian prefix', 'hu', 'írás', 'kiírás', false],
    ['in no compound with its case', 'de', '=Vertrag', 'Mietvertrag', false],
    ['an elision', 'fr', 'usine', "l'usine", true],
    ['an article after a preposition', 'it', 'contratto di vendita', 'contratto della vendita', true],
    ['with Arabic particles', 'ar', 'عقد', 'وبالعقود', true],
    ['with a Korean particle', 'ko', '계약', '계약은', true],
    ['Korean without its spaces', 'ko', '개인 정보', '개인정보를', true],
    ['an Indonesian plural', 'id', 'kontrak', 'kontrak-kontrak', true],
    ['no ending in Vietnamese', 'vi', 'an', 'anh', false],
    ['in a Japanese word', 'ja', '教育', '高等教育', true],
    ['not in two', 'ja', '京都', '東京都', false],
    ['nor in a katakana word', 'ja', 'コード', 'レコード', false],
    ['a long one however it is cut', 'zh-Hans', '北京大学', '北京大学生活', true],
    ['a Latin one in Japanese', 'ja', 'API', 'APIキー', true],
    ['a Thai word', 'th', 'สัญญา', 'สัญญาเช่า', true],
  ])('%s', (_, language, term, target, counts) => {
    expect(check([term], target, language).passed).toBe(counts);
  });
});
