import { describe, expect, test } from 'vitest';
import { matchOf } from '#web/app/keys/match-name.ts';

const matched = (name: string, text: string) => {
  const match = matchOf(name, text);
  return match && name.slice(match.start, match.end);
};

describe('the palette matches names', () => {
  test.each([
    ['Lease-Agreement.docx', 'agree', 'Agree'],
    ['Résumé.pdf', 'resume', 'Résumé'],
    ['İstanbul lease.docx', 'lease', 'lease'],
    ['Next item', '  next ITEM ', 'Next item'],
    ['合同.docx', '合同', '合同'],
    ['a.b*c', 'b*', 'b*'],
    ['Files', '', ''],
  ])('%s matches %j', (name, text, part) => {
    expect(matched(name, text)).toBe(part);
  });

  test('a text that does not occur matches nothing', () => {
    expect(matchOf('lease.docx', 'leasing')).toBeUndefined();
    expect(matchOf('ab', 'abc')).toBeUndefined();
  });
});
