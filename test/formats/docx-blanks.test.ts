import { describe, expect, it } from 'vitest';
import { paragraph, run, textsOf, translate, written } from './docx-file.ts';

const line = '_'.repeat(20);

describe('a blank of a form', () => {
  it.each<[rule: string, body: string, texts: string[]]>([
    ['separates labels', paragraph(run(`NAME${line} DATE OF BIRTH ___`)), ['NAME', 'DATE OF BIRTH']],
    ['ends its label', paragraph(run('Your name: '), run(line)), ['Your name:']],
    ['is of dots too', paragraph(run('Name ........ Place ………')), ['Name', 'Place']],
    ['separates labels in brackets', paragraph(run(`(Print name)${line}(Date)`)), ['(Print name)', '(Date)']],
    [
      'separates texts in scripts without capitals',
      paragraph(run(`氏名${line}日付${line}`)),
      ['氏名', '日付'],
    ],
    ['may consist of spaces', paragraph(run('  Signature        Date      ')), ['Signature', 'Date']],
    [
      'stays in its sentence',
      paragraph(run(`I, ${line}, hereby authorize the house to obtain information.`)),
      [`I, ${line}, hereby authorize the house to obtain information.`],
    ],
    [
      'stays in a sentence with brackets',
      paragraph(run(`Between ${line} (the Tenant) and ${line} (the Owner)`)),
      [`Between ${line} (the Tenant) and ${line} (the Owner)`],
    ],
    ['that is short is a part of a word', paragraph(run('20__ and file__name')), ['20__ and file__name']],
  ])('%s', async (_, body, texts) => {
    expect(await textsOf(body)).toEqual(texts);
  });

  it('stays after its label, shorter by as much as the label is longer', async () => {
    const source = paragraph(run(`Name: ${line} Date &amp; place: ${line}`, '<w:b/>'));
    const { body } = await translate(source, ['Nom entier:', 'Lieu :']);
    expect(body).toBe(
      paragraph(
        written('Nom entier: ', '<w:b/>'),
        run('_'.repeat(14), '<w:b/>'),
        written(' Lieu : ', '<w:b/>'),
        run(line, '<w:b/>'),
      ),
    );
  });

  it('of spaces becomes shorter, so that the next text stays in place', async () => {
    const { body } = await translate(paragraph(run(`Name${' '.repeat(12)}Date`)), ['Nombre', 'Fecha']);
    expect(body).toBe(paragraph(written('Nombre'), run(' '.repeat(8)), written('Fecha')));
  });

  it('keeps half of its length', async () => {
    const { body } = await translate(paragraph(run(`Name${line}`)), ['Nom et prénom du locataire']);
    expect(body).toBe(paragraph(written('Nom et prénom du locataire'), run('_'.repeat(10))));
  });
});
