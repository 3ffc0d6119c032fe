import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { formatTagged } from '#server/formats/inline-content.ts';
import { odp, ods, odt } from '#server/formats/opendocument.ts';
import { casesOf } from './cases.ts';
import { fileOf, type Parts } from './opendocument-file.ts';

/* Texts that a reader sees although they are in no paragraph of an OpenDocument file. */

const formats = { text: odt, spreadsheet: ods, presentation: odp };
const languages = { sourceLanguage: 'en', targetLanguage: 'de' };
const form = 'xmlns:form="urn:oasis:names:tc:opendocument:xmlns:form:1.0"';
const number = 'xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"';

/** Returns the texts of the segments, the texts that stay, and the parts with "!" after each text. */
async function read(parts: Parts) {
  const format = formats[parts.kind ?? 'text'];
  const bytes = fileOf(parts);
  const { segments, outcome } = await format.extract(bytes, languages);
  expect(outcome?.unaccounted).toBe(0);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: [...source, '!'],
  }));
  const written = unzipSync((await format.rebuild(bytes, translations, languages)).bytes);
  const textOf = (name: string) => strFromU8(written[name] ?? new Uint8Array());
  return {
    texts: segments.map(({ source }) => formatTagged(source)),
    kept: outcome!.kept.map(({ reason, texts, characters }) => `${reason} ${texts} ${characters}`),
    content: textOf('content.xml'),
    styles: textOf('styles.xml'),
  };
}

describe('form controls', () => {
  const control = (name: string, attributes: string, content = '') =>
    `<office:forms ${form}><form:form form:name="F"><form:${name} form:name="n" ${attributes}>${content}</form:${name}></form:form></office:forms>`;

  it.each([
    [
      'a button',
      control('button', 'form:label="Send" form:title="Sends it" form:value="s"'),
      ['Send', 'Sends it'],
    ],
    ['a check box', control('checkbox', 'form:label="I agree"'), ['I agree']],
    [
      'a list',
      control('listbox', '', '<form:option form:label="Red" form:value="r"/><form:option form:value="b"/>'),
      ['Red'],
    ],
    ['a combo box', control('combobox', 'form:value="Oak"', '<form:item form:label="Oak"/>'), ['Oak', 'Oak']],
    ['a field with a text', control('textarea', 'form:current-value="Your wish"'), ['Your wish']],
    ['a field for a number', control('formatted-text', 'form:value="Code"'), []],
  ])('%s', async (_, body, texts) => {
    for (const kind of ['text', 'spreadsheet'] as const) {
      const found = await read({ kind, body });
      expect(found.texts).toEqual(texts);
      for (const text of texts) expect(found.content).toContain(`="${text}!"`);
      expect(found.content).toContain('form:name="n"');
      if (body.includes('"r"')) expect(found.content).toContain('form:value="r"');
    }
  });
});

describe('slides', () => {
  it('translates the headers, footers and fixed dates to which slides refer', async () => {
    const body =
      '<presentation:header-decl presentation:name="h">Garden club</presentation:header-decl><presentation:footer-decl presentation:name="f">Members only</presentation:footer-decl><presentation:date-time-decl presentation:name="d" presentation:source="fixed">Spring</presentation:date-time-decl><draw:page presentation:use-footer-name="f"><text:p>Wall</text:p></draw:page>';
    const { texts, content } = await read({ kind: 'presentation', body });
    expect(texts).toEqual(['Garden club', 'Members only', 'Spring', 'Wall']);
    expect(content).toContain('presentation:name="f">Members only!</presentation:footer-decl>');
  });
});

describe('number formats', () => {
  const style = (content: string) =>
    `<number:number-style ${number} style:name="N1">${content}<number:number/></number:number-style>`;

  it('translates the words of a format, and keeps its signs and spaces', async () => {
    const styles = style('<number:text>Total due: </number:text>');
    const { texts, styles: written } = await read({ kind: 'spreadsheet', body: '', styles });
    expect(texts).toEqual(['Total due:']);
    expect(written).toContain('<number:text>Total due:! </number:text>');
  });

  it('keeps a single letter as a sign', async () => {
    const { texts, kept } = await read({ body: '', styles: style('<number:text> h</number:text>') });
    expect({ texts, kept }).toEqual({ texts: [], kept: ['number 1 1'] });
  });
});

describe('lists and indexes', () => {
  it('translates the words of a list label with the spaces around them', async () => {
    const styles =
      '<text:outline-style><text:outline-level-style text:level="1" style:num-prefix="Chapter " style:num-suffix=")"/></text:outline-style>';
    const { texts, styles: written } = await read({ body: '', styles });
    expect(texts).toEqual(['Chapter']);
    expect(written).toContain('style:num-prefix="Chapter! " style:num-suffix=")"');
  });

  it('translates the title that an index gets when it is updated', async () => {
    const body =
      '<text:table-of-content><text:table-of-content-source><text:index-title-template>Contents</text:index-title-template></text:table-of-content-source><text:index-body><text:index-title><text:p>Contents</text:p></text:index-title></text:index-body></text:table-of-content>';
    expect((await read({ body })).texts).toEqual(['Contents', 'Contents']);
  });
});

describe('fields', () => {
  it.each<[string, string, string[], string[]]>(casesOf('opendocument-visible.yaml', 'fields'))(
    '%s',
    async (_, body, texts, kept) => {
      expect(await read({ body })).toMatchObject({ texts, kept });
    },
  );
});

describe('ruby text', () => {
  it.each([
    '<text:p>私は<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>に</text:p>',
    '<text:p><text:ruby><text:ruby-base><text:span>私は東</text:span>京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>に</text:p>',
  ])('is its base, without the reading aid: %s', async (body) => {
    const { texts, kept, content } = await read({ body });
    expect({ texts, kept }).toEqual({ texts: ['私は東京に'], kept: ['other 1 5'] });
    expect(content).toContain('<text:p>私は東京に!</text:p>');
  });
});

describe('content controls of LibreOffice', () => {
  const loext = 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"';
  const control = (attributes: string) =>
    `<text:p>Name: <loext:content-control ${loext} ${attributes}>Your <text:span text:style-name="B">own</text:span></loext:content-control>.</text:p>`;

  it('have their text in its paragraph, and a value that a person selects stays', async () => {
    const written = await read({ body: control('loext:alias="x"') });
    expect(written.texts).toEqual(['Name: <1>Your <2>own</2></1>.']);
    expect(written.content).toContain('>own</text:span></loext:content-control>.!');
    const selected = await read({ body: control('loext:dropdown="true"') });
    expect([selected.texts, selected.kept]).toEqual([['Name: <1/>.'], ['fields 2 7']]);
  });
});

it('counts the names of sheets', async () => {
  const cell =
    '<table:table-row><table:table-cell><text:p>Cell</text:p></table:table-cell></table:table-row>';
  const body = `<table:table table:name="Budget plan">${cell}</table:table>`;
  expect((await read({ kind: 'spreadsheet', body })).kept).toEqual(['sheet_names 1 10']);
});
