import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { check, extract, rebuild } from '#server/formats/xlsx.ts';
import { inline, row, translated, workbookOf } from './xlsx-file.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
const validation = (attributes: string): string =>
  `<dataValidation type="list" ${attributes} sqref="A1"><formula1>Names!$A$1</formula1></dataValidation>`;
const sheetOf = (...validations: string[]) => ({
  rows: row(inline('<t>Cell</t>')),
  after: `<dataValidations count="1">${validations.join('')}</dataValidations>`,
});
const xmlOf = (bytes: Uint8Array, sheet = 0): string =>
  Buffer.from(unzipSync(bytes)[`xl/worksheets/s${sheet}.xml`]!).toString();

describe('the messages of data validations', () => {
  const sheet = sheetOf(
    validation(
      'errorTitle="Bad &amp; wrong" error="Pick one_x000a_of the list" promptTitle="12" prompt=" Choose "',
    ),
    validation('prompt="Next"'),
  );

  it('are texts of their sheet', async () => {
    const bytes = workbookOf([{ ...sheet, name: 'List' }]);
    const { segments, outcome } = await extract(bytes);
    expect(segments.map(({ place, source, kind }) => [place, source[0], kind])).toEqual([
      ['List!A1', 'Cell', 'cell'],
      ['List, prompt of validation 1', 'Choose', 'text_block'],
      ['List, error title of validation 1', 'Bad & wrong', 'text_block'],
      ['List, error message of validation 1', 'Pick one\nof the list', 'text_block'],
      ['List, prompt of validation 2', 'Next', 'text_block'],
    ]);
    expect(outcome?.unaccounted).toBe(0);
    expect(outcome?.kept).toContainEqual({ class: 'kept', reason: 'number', texts: 1, characters: 2 });
    const taken: string[] = [];
    await check(bytes, (text) => taken.push(text.trim()) > 0);
    expect(taken).toEqual(segments.map(({ source }) => source[0]));
  });

  it('are written, and all other characters stay', async () => {
    const bytes = workbookOf([sheet]);
    expect(xmlOf(await translated(bytes, (text) => `${text.toUpperCase()}"\n`))).toBe(
      xmlOf(bytes)
        .replace('>Cell<', ' xml:space="preserve">CELL"\n<')
        .replace('Bad &amp; wrong', 'BAD &amp; WRONG&quot;_x000a_')
        .replace('Pick one_x000a_of the list', 'PICK ONE_x000a_OF THE LIST&quot;_x000a_')
        .replace(' Choose ', ' CHOOSE&quot;_x000a_ ')
        .replace('Next', 'NEXT&quot;_x000a_'),
    );
    expect(Buffer.from(await translated(bytes, (text) => text))).toEqual(Buffer.from(bytes));
  });

  it('are also texts in the form of newer versions of Excel', async () => {
    const after =
      '<extLst><ext><x14:dataValidations xmlns:x14="x"><x14:dataValidation prompt="Choose"><x14:formula1/></x14:dataValidation></x14:dataValidations></ext></extLst>';
    const bytes = workbookOf([{ rows: row(inline('<t>Cell</t>')), after }]);
    expect(xmlOf(await translated(bytes, 'Choisir'))).toContain('<x14:dataValidation prompt="Choisir">');
  });

  it('are cut to the length that Excel accepts', async () => {
    const bytes = workbookOf([sheetOf(validation('promptTitle="Title"'))]);
    const { segments } = await extract(bytes);
    const { regionId, cellId } = segments[1]!;
    const target = [`${'x'.repeat(31)}\u{1f600}`];
    const rebuilt = await rebuild(bytes, [{ regionId, cellId, target }], languages);
    expect(xmlOf(rebuilt.bytes)).toContain(`promptTitle="${'x'.repeat(31)}"`);
    expect(rebuilt.findings).toMatchObject([
      {
        code: 'text_truncated',
        message:
          'the translation of Sheet1, prompt title of validation 1, is longer than the 32 characters that Excel accepts there, and was cut',
        unitId: cellId,
      },
    ]);
  });

  it('stay in a sheet that is not selected, and are counted', async () => {
    const bytes = workbookOf([{ rows: row(inline('<t>Other</t>')) }, sheet]);
    const { segments, outcome } = await extract(bytes, { pages: ['Sheet1'] });
    expect(segments).toHaveLength(1);
    expect(outcome).toMatchObject({ unaccounted: 0 });
    expect(outcome?.kept.find(({ reason }) => reason === 'pages')).toMatchObject({ texts: 5 });
  });
});
