import fc from 'fast-check';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { formatTagged, type InlineContent, plainText } from '#server/formats/inline-content.ts';
import { odp, ods, odt } from '#server/formats/opendocument.ts';
import { casesOf } from './cases.ts';
import { fileOf, type Parts } from './opendocument-file.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'de' };

async function textsOf(parts: Parts) {
  const { segments, outcome } = await odt.extract(fileOf(parts), languages);
  expect(outcome?.unaccounted).toBe(0);
  return segments.map(({ source }) => formatTagged(source));
}

async function translated(
  parts: Parts,
  change: (source: InlineContent) => InlineContent,
  targetLanguage = 'de',
): Promise<Record<'content.xml' | 'styles.xml', string>> {
  const bytes = fileOf(parts);
  const options = { ...languages, targetLanguage };
  const { segments } = await odt.extract(bytes, options);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: change(source),
  }));
  const entries = unzipSync((await odt.rebuild(bytes, translations, options)).bytes);
  const textOf = (name: string) => strFromU8(entries[name] ?? new Uint8Array());
  return { 'content.xml': textOf('content.xml'), 'styles.xml': textOf('styles.xml') };
}

const bodyOf = (content: string) =>
  /<office:(text|spreadsheet|presentation)>(.*)<\/office:\1>/s.exec(content)![2]!;

describe('the texts of an OpenDocument file', () => {
  it.each<[string, string, string[]]>(casesOf('opendocument.yaml', 'the texts of an OpenDocument file'))(
    '%s',
    async (_, body, texts) => {
      expect(await textsOf({ body })).toEqual(texts);
      const { 'content.xml': content } = await translated({ body }, (source) => source);
      expect(bodyOf(content)).toBe(body);
    },
  );

  it('of a sheet are the cells with texts, each once, at their addresses', async () => {
    const body = `<table:table table:name="Costs"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="1000000000"/></table:table-row><table:table-row><table:table-cell office:value-type="string" table:number-columns-repeated="2"><text:p>Tea</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="1"><text:p>1 EUR</text:p></table:table-cell><table:table-cell table:formula="of:=A1" office:value-type="string"><text:p>Sum</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Cup</text:p></table:table-cell></table:table-row></table:table>`;
    const { segments, outcome } = await ods.extract(fileOf({ kind: 'spreadsheet', body }), languages);
    expect(segments.map(({ place, kind, page }) => [place, kind, page])).toEqual([
      ['Costs!A4', 'cell', 1],
      ['Costs!E4', 'cell', 1],
    ]);
    expect(outcome?.kept.map(({ reason }) => reason).sort()).toEqual([
      'formula_result',
      'number',
      'sheet_names',
    ]);
  });

  it('have their place in tables', async () => {
    const cell = (text: string) =>
      `<table:table-row><table:table-cell office:value-type="string">${text}</table:table-cell></table:table-row>`;
    const body = `<table:table>${cell(`<text:p>A</text:p><table:table>${cell('<text:p>In</text:p>')}</table:table>`)}${cell('<text:p>B</text:p>')}</table:table><text:p>C</text:p>`;
    const { segments } = await odt.extract(fileOf({ body }), languages);
    expect(segments.map(({ place, kind, page }) => [place, kind, page])).toEqual([
      ['content.xml, table 1, row 1, cell 1', 'table_cell', 1],
      ['content.xml, table 2, row 1, cell 1', 'table_cell', 1],
      ['content.xml, table 1, row 2, cell 1', 'table_cell', 1],
      ['content.xml, paragraph 1', 'paragraph', 1],
    ]);
  });

  it('of comments, hidden slides and masters are translated on request', async () => {
    const body =
      '<draw:page draw:style-name="hidden"><text:p>Hidden</text:p></draw:page><draw:page><text:p>A<office:annotation><text:p>Note</text:p></office:annotation></text:p></draw:page>';
    const styles =
      '<office:master-styles><style:master-page><draw:frame><text:p>Click</text:p></draw:frame></style:master-page></office:master-styles>';
    const bytes = fileOf({ kind: 'presentation', body, styles });
    const found = await odp.extract(bytes, languages);
    expect(found.segments.map(({ source }) => source)).toEqual([['A']]);
    expect(found.findings.map(({ message }) => message)).toEqual([
      '1 hidden slide is not translated; add `hidden` to `include` to translate them',
      '1 comment is not translated; add `comments` to `include` to translate them',
    ]);
    const all = await odp.extract(bytes, { ...languages, include: ['comments', 'hidden', 'masters'] });
    expect(all.segments.map(({ source, place, page }) => [...source, place, page])).toEqual([
      ['Hidden', 'slide 1, paragraph 1', 1],
      ['A', 'slide 2, paragraph 1', 2],
      ['Note', 'slide 2, paragraph 2', 2],
      ['Click', 'styles.xml, paragraph 1', null],
    ]);
    expect(all.findings).toEqual([]);
  });

  it('of a comment on a hidden slide stay, even if comments are translated', async () => {
    const body =
      '<draw:page draw:style-name="hidden"><text:p>A<office:annotation><text:p>Note</text:p></office:annotation></text:p></draw:page>';
    const bytes = fileOf({ kind: 'presentation', body });
    const { segments, outcome } = await odp.extract(bytes, { ...languages, include: ['comments'] });
    expect([segments, outcome?.unaccounted]).toEqual([[], 0]);
  });

  it('of a comment on a number are translated on request', async () => {
    const body =
      '<table:table table:name="S"><table:table-row><table:table-cell office:value-type="float"><office:annotation><text:p>Note</text:p></office:annotation><text:p>1</text:p></table:table-cell></table:table-row></table:table>';
    const bytes = fileOf({ kind: 'spreadsheet', body });
    const { segments } = await ods.extract(bytes, { ...languages, include: ['comments'] });
    expect(segments.map(({ source, kind, place }) => [...source, kind, place])).toEqual([
      ['Note', 'text_block', 'S, paragraph 1'],
    ]);
  });

  it('have a place in a text file, even if it has slides or sheets', async () => {
    const body =
      '<draw:page><text:p>A</text:p></draw:page><table:table table:name="S"><table:table-row><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table>';
    const { segments } = await odt.extract(fileOf({ body }), languages);
    expect(segments.map(({ place }) => place)).toEqual([
      'content.xml, paragraph 1',
      'content.xml, table 1, row 1, cell 1',
    ]);
  });

  it('are reported with the signature of the file', async () => {
    const more = { 'META-INF/documentsignatures.xml': '<a/>' };
    const { findings } = await odt.extract(fileOf({ body: '<text:p>A</text:p>', more }), languages);
    expect(findings).toMatchObject([{ severity: 'warning', code: 'unsupported_content_kept' }]);
  });

  it('of slides and notes have their slide, and headers of pages their kind', async () => {
    const slides = `<draw:page><draw:frame><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame></draw:page><draw:page><draw:frame><draw:text-box><text:p>Two</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Say</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`;
    const { segments } = await odp.extract(fileOf({ kind: 'presentation', body: slides }), languages);
    expect(segments.map(({ place, page }) => [place, page])).toEqual([
      ['slide 1, paragraph 1', 1],
      ['slide 2, paragraph 1', 2],
      ['slide 2, notes, paragraph 2', 2],
    ]);
    const styles =
      '<office:master-styles><style:master-page><style:header><text:p>Top</text:p></style:header><draw:frame><text:p>Click to edit</text:p></draw:frame></style:master-page></office:master-styles>';
    const header = await odt.extract(fileOf({ body: '<text:p>A</text:p>', styles }), languages);
    expect(header.segments.map(({ kind, source }) => [kind, ...source])).toEqual([
      ['paragraph', 'A'],
      ['header', 'Top'],
    ]);
    expect(header.outcome?.kept).toMatchObject([{ reason: 'masters' }]);
  });
});

/** A sheet with one cell in each row. */
const sheetOf = (...cells: string[]): Parts => ({
  kind: 'spreadsheet',
  body: `<table:table table:name="S">${cells.map((cell) => `<table:table-row>${cell}</table:table-row>`).join('')}</table:table>`,
});
/** A cell whose attribute has its value. */
const valued = (value: string, content: string, more = 'office:value-type="string"'): string =>
  `<table:table-cell ${more} office:string-value="${value}">${content}</table:table-cell>`;

/** Translates a sheet in a way that is easy to see. */
async function inCapitals(parts: Parts, change = (text: string) => text.toUpperCase()) {
  const bytes = fileOf(parts);
  const { segments, findings, outcome } = await ods.extract(bytes, languages);
  const taken: string[] = [];
  await ods.check(bytes, (text) => taken.push(text) > 0);
  expect(taken).toEqual(segments.map(({ source }) => plainText(source)));
  expect(outcome?.unaccounted).toBe(0);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: source.map((item) => (typeof item === 'string' ? change(item) : item)),
  }));
  const rebuilt = await ods.rebuild(bytes, translations, languages);
  const content = strFromU8(unzipSync(rebuilt.bytes)['content.xml']!);
  return { segments, findings, outcome, body: bodyOf(content) };
}

describe('the value of a cell in an attribute', () => {
  it.each<[string, string, string]>([
    [
      'is removed if the paragraph that repeats it is translated',
      valued('Tea  cup', '<text:p>Tea <text:s/>cup</text:p>'),
      '<table:table-cell office:value-type="string"><text:p>TEA CUP</text:p></table:table-cell>',
    ],
    [
      'is removed once if the cell has several paragraphs',
      valued('One&#10;Two', '<text:p>One</text:p><text:p>Two</text:p>'),
      '<table:table-cell office:value-type="string"><text:p>ONE</text:p><text:p>TWO</text:p></table:table-cell>',
    ],
    [
      'is translated if the cell has no paragraph',
      valued('Tea &amp; &quot;cups&quot;', ''),
      valued('TEA &amp; &quot;CUPS&quot;', ''),
    ],
    [
      'is translated if the cell has an empty paragraph',
      valued('Tea', '<text:p/>'),
      valued('TEA', '<text:p/>'),
    ],
    [
      'is translated apart from a paragraph with another text',
      valued('Tea', '<text:p>Cup of Tea</text:p>'),
      valued('TEA', '<text:p>CUP OF TEA</text:p>'),
    ],
    [
      'is translated in a cell without a type',
      valued('Tea', '', 'table:style-name="a"'),
      valued('TEA', '', 'table:style-name="a"'),
    ],
    [
      'stays in a cell with a formula',
      valued('Tea', '', 'table:formula="of:=[.A1]" office:value-type="string"'),
      valued('Tea', '', 'table:formula="of:=[.A1]" office:value-type="string"'),
    ],
    [
      'stays in a cell with a number',
      valued('Tea', '<text:p>1</text:p>', 'office:value-type="float" office:value="1"'),
      valued('Tea', '<text:p>1</text:p>', 'office:value-type="float" office:value="1"'),
    ],
    [
      'keeps its quotes',
      `<table:table-cell office:value-type="string" office:string-value='a "b"'/>`,
      `<table:table-cell office:value-type="string" office:string-value='A &quot;B&quot;&apos;'/>`,
    ],
  ])('%s', async (name, cell, expected) => {
    const quoted = name === 'keeps its quotes' ? "'" : '';
    const { body } = await inCapitals(sheetOf(cell), (text) => text.toUpperCase() + quoted);
    expect(body).toBe(sheetOf(expected).body);
    const unchanged = await inCapitals(sheetOf(cell), (text) => text);
    expect(unchanged.body).toBe(sheetOf(cell).body);
  });

  it('is a segment of its cell, and a text that stays is in the receipt', async () => {
    const { segments, outcome } = await inCapitals(
      sheetOf(valued('Tea', ''), valued('Sum', '', 'table:formula="of:=[.A1]" office:value-type="string"')),
    );
    expect(segments).toMatchObject([{ kind: 'cell', place: 'S!A1', cellId: 'A1', page: 1, source: ['Tea'] }]);
    expect(outcome?.kept).toMatchObject([
      { reason: 'sheet_names', texts: 1, characters: 1 },
      { reason: 'formula_result', texts: 1, characters: 3 },
    ]);
  });

  it('stays if only the comment of the cell is translated', async () => {
    const bytes = fileOf(
      sheetOf(
        valued('1.5', '<office:annotation><text:p>Note</text:p></office:annotation><text:p>1.5</text:p>'),
      ),
    );
    const options = { ...languages, include: ['comments' as const] };
    const { segments } = await ods.extract(bytes, options);
    expect(segments.map(({ source }) => source)).toEqual([['Note']]);
    const [{ regionId, cellId }] = segments as [(typeof segments)[number]];
    const rebuilt = await ods.rebuild(bytes, [{ regionId, cellId, target: ['Nota'] }], options);
    expect(strFromU8(unzipSync(rebuilt.bytes)['content.xml']!)).toContain('office:string-value="1.5"');
  });

  it('is translated in a table inside of a paragraph', async () => {
    const body = (name: string, value: string) =>
      `<text:p>${name}<draw:frame><draw:text-box><table:table><table:table-row>${valued(value, `<text:p>${value}</text:p>`)}</table:table-row></table:table></draw:text-box></draw:frame></text:p>`;
    const { 'content.xml': content } = await translated({ body: body('Out', 'In') }, (source) =>
      source.map((item) => (typeof item === 'string' ? item.toUpperCase() : item)),
    );
    expect(bodyOf(content)).toBe(body('OUT', 'IN'));
  });
});

describe('a text that is translated in a cell of a sheet', () => {
  const cell = (text: string, more = '') =>
    `<table:table-cell office:value-type="string"${more}><text:p>${text}</text:p></table:table-cell>`;
  const warningsOf = async (text: string, more: string, before = '', after = '') => {
    const { body } = sheetOf(cell(text), `<table:table-cell${more}/>`);
    const { findings, outcome } = await ods.extract(
      fileOf({ kind: 'spreadsheet', body: before + body + after }),
      languages,
    );
    expect(outcome?.unaccounted).toBe(0);
    return findings.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
  };

  it.each<[where: string, more: string, before: string, after: string]>(
    casesOf(
      'opendocument.yaml',
      'a text that is translated in a cell of a sheet: has a warning if compares cells with it',
    ),
  )('has a warning if %s compares cells with it', async (where, more, before, after) => {
    const [found, ...others] = await warningsOf('Done', more, before, after);
    expect(found?.toLowerCase()).toBe(
      'formulas, conditional formats, filters or dropdown lists compare cells with texts that are translated only in the cells; check their results: "done"',
    );
    expect(others).toEqual([]);
    expect(await warningsOf('Finished', more, before, after), where).toEqual([]);
  });

  it('is not in a dropdown list with fixed entries, which stays', async () => {
    const list =
      '<table:content-validations><table:content-validation table:name="v" table:condition="of:cell-content-is-in-list(&quot;Yes&quot;;&quot;Not &quot;&quot;yet&quot;&quot;&quot;)"/></table:content-validations>';
    const { findings, outcome } = await inCapitals({ kind: 'spreadsheet', body: list });
    expect(findings.map(({ message }) => message)).toContain(
      '1 dropdown list with fixed entries is not translated',
    );
    expect(outcome?.kept).toMatchObject([{ reason: 'dropdown_lists', texts: 2, characters: 11 }]);
  });
});

describe('the messages of a validation', () => {
  it('are translated with their titles', async () => {
    const messages = (change: (text: string) => string) =>
      `<table:content-validations><table:content-validation table:name="v"><table:help-message table:title="${change('Colour')}" table:display="true"><text:p>${change('Pick one')}</text:p></table:help-message><table:error-message table:title="${change('Wrong')}"/></table:content-validation></table:content-validations>`;
    const { segments, body } = await inCapitals({ kind: 'spreadsheet', body: messages((text) => text) });
    expect(body).toBe(messages((text) => text.toUpperCase()));
    expect(segments.map(({ place, kind }) => [place, kind])).toEqual([
      ['content.xml, title of a validation message', 'text_block'],
      ['content.xml, paragraph 1', 'paragraph'],
      ['content.xml, title of a validation message', 'text_block'],
    ]);
  });
});

describe('a translated OpenDocument file', () => {
  it('keeps all other characters, and tags that the translation moves', async () => {
    const body = `<text:p text:style-name="P1">One <text:span text:style-name="B">two</text:span></text:p><!-- c --><text:p><draw:frame svg:width="1cm"><svg:title>Picture</svg:title></draw:frame> end</text:p>`;
    const { 'content.xml': content } = await translated({ body }, (source) =>
      source.length === 1 ? [`${source[0]}!`] : [source[1]!, source[2]!, source[3]!, ' & <one>'],
    );
    expect(bodyOf(content)).toBe(
      body
        .replace(
          'One <text:span text:style-name="B">two</text:span>',
          '<text:span text:style-name="B">two</text:span> &amp; &lt;one&gt;',
        )
        .replace('Picture', 'Picture!')
        .replace(' end', ' end!'),
    );
  });

  it('is well-formed if elements without an effect cross the edges of a text', async () => {
    const body = `<text:p><text:span text:style-name="R"><text:bookmark text:name="x"/>One</text:span> two <text:span text:style-name="R">three<text:tab/></text:span></text:p>`;
    const { 'content.xml': content } = await translated({ body }, () => ['X\ty\nz']);
    expect(bodyOf(content)).toBe(
      `<text:p><text:span text:style-name="R"><text:bookmark text:name="x"/></text:span>X<text:tab/>y<text:line-break/>z<text:span text:style-name="R"><text:tab/></text:span></text:p>`,
    );
  });

  it('declares its language and direction', async () => {
    const styles =
      '<office:styles><style:default-style style:family="paragraph"><style:paragraph-properties style:writing-mode="lr-tb"/><style:text-properties fo:language="en" fo:country="US"/></style:default-style></office:styles>';
    const of = async (language: string) =>
      (await translated({ body: '<text:p>A</text:p>', styles }, (source) => source, language))['styles.xml'];
    expect(await of('de')).toContain('fo:language="de" fo:country="DE"');
    const arabic = await of('ar');
    expect(arabic).toContain('style:writing-mode="rl-tb"');
    expect(arabic).toContain('style:language-complex="ar"');
  });
});

const inline = fc.letrec<{ many: string; one: string }>((tie) => ({
  many: fc.array(tie('one'), { maxLength: 5 }).map((parts) => parts.join('')),
  one: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b c', ' ', '&amp;', '<text:tab/>', '<text:line-break/>', '<text:s text:c="2"/>'),
    fc.constantFrom(
      '<text:span text:style-name="B"/>',
      '<text:bookmark/>',
      '<text:soft-page-break/>',
      '<!-- c -->',
    ),
    fc
      .tuple(fc.constantFrom('B', 'B2', 'R', 'I', 'unknown'), tie('many'))
      .map(([style, inner]) => `<text:span text:style-name="${style}">${inner}</text:span>`),
    tie('many').map((inner) => `<text:a xlink:href="x">${inner}</text:a>`),
    tie('many').map(
      (inner) => `<text:note><text:note-body><text:p>${inner}</text:p></text:note-body></text:note>`,
    ),
  ),
}));

/** The texts between tags, without white space. */
const lettersOf = (xml: string): string => xml.replace(/<!--.*?-->|<[^>]*>|\s/gs, '');

describe('any OpenDocument text', () => {
  it('is well-formed when it is translated, and each text is translated once', async () => {
    await fc.assert(
      fc.asyncProperty(inline.many, async (content) => {
        const body = `<text:p>${content}</text:p>`;
        // Equal styles around each other and white space at empty lines may be joined in another way.
        const plainTextsOf = async (of: string) =>
          (await odt.extract(fileOf({ body: of }), languages)).segments.map(({ source }) =>
            plainText(source).replace(/\s/g, ''),
          );
        const before = await plainTextsOf(body);
        const { 'content.xml': translation } = await translated({ body }, (source) => ['[', ...source, ']']);
        const after = bodyOf(translation);
        expect((await plainTextsOf(after)).join('')).toBe(before.map((text) => `[${text}]`).join(''));
        expect(lettersOf(after).replace(/[[\]]/g, '')).toBe(lettersOf(body));
        expect(after.match(/<text:note>|<text:tab/g)).toEqual(body.match(/<text:note>|<text:tab/g));
      }),
      { numRuns: 100 },
    );
  });
});

describe('an OpenDocument file is rejected', () => {
  it.each<[string, Uint8Array, string]>([
    [
      'without content',
      zipSync({ mimetype: strToU8('application/vnd.oasis.opendocument.text') }),
      'unreadable',
    ],
    ['of another kind', zipSync({ 'content.xml': strToU8('<a/>') }), 'unreadable'],
    ['of another type', fileOf({ kind: 'spreadsheet', body: '<table:table/>' }), 'unreadable'],
    [
      'with a password',
      fileOf({ body: '', more: { 'META-INF/manifest.xml': '<a><encryption-data/></a>' } }),
      'protected',
    ],
    ['with invalid XML', fileOf({ body: '<text:p>' }), 'unreadable'],
    ['that declares entities', fileOf({ body: '<text:p>&a;</text:p>' }), 'unreadable'],
    ['that is no zip', strToU8('no zip'), 'unreadable'],
    ['that is empty', new Uint8Array(), 'unreadable'],
  ])('%s', async (_, bytes, reason) => {
    await expect(odt.check(bytes)).rejects.toMatchObject({ reason });
    await expect(odt.extract(bytes)).rejects.toMatchObject({ reason });
  });
});
